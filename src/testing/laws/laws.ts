// The laws of the features: rules over several requests, each of which looks right by itself.

import { type Run, takes } from '../judge/run.js'
import type { DescribedOperation } from '../requests/document.js'
import { nothingOfOthersIsShown, othersAreOutOfReach, parentsMatter } from './access.js'
import { uploadsAreDownloads } from './bytes.js'
import {
  createdCanBeRead,
  listedCanBeRead,
  listsChangeByOne,
  locationLeads,
  oneOfTwoCreations,
  redirectsEnd,
} from './collections.js'
import { filtersSelect } from './filters.js'
import {
  keyIsForOneRequest,
  keysAreOfOneCaller,
  noKeyIsRefused,
  oneOfTwoRuns,
  repeatedKeyChangesNothing,
  repeatedRefusalIsTheSame,
} from './key-laws.js'
import { broken, type Law, read } from './law.js'
import { cachedAlike, limitsCountDown, otherCursorsAreRefused } from './lifecycle-laws.js'
import { neighboursStay } from './neighbours.js'
import { pagesAreTheList } from './pages.js'
import { refusalsChangeNothing } from './refusals.js'
import {
  createdOnce,
  patchChangesOne,
  putReplaces,
  putTwice,
  surroundingsAreTagged,
} from './writes.js'

export async function keepLaws(run: Run, operation: DescribedOperation): Promise<void> {
  for (const law of LAWS) {
    await run.reset()
    await run.attempt(operation, () => law(run, operation))
  }
}

const staleChangesNothing: Law = async (run, operation) => {
  if (!takes(operation, 'if-match') || operation.method === 'GET') return
  const valid = await run.sample(operation)
  const before = valid && (await read(run, operation, valid.path))
  const again = before && valid && (await read(run, operation, valid.path))
  // a thing that changes by being read proves nothing; an operation that cannot be called has been
  // reported
  if (
    !valid ||
    !before ||
    before.status !== 200 ||
    again?.text !== before.text ||
    !isWithinReach(run, operation)
  )
    return
  const outcome = await run.parts.session.send(operation, {
    ...valid,
    headers: { ...valid.headers, 'If-Match': '"stale"' },
  })
  const after = await read(run, operation, valid.path)
  const name = 'a stale If-Match changes nothing'
  if (outcome.status !== 412)
    broken(run, operation, name, `${outcome.status} instead of 412`, outcome)
  else if (after?.text !== before.text)
    broken(run, operation, name, 'it was refused, and what can be read has changed', outcome)
}

/** Whether the operation takes the credentials that there are. */
function isWithinReach({ parts: { session } }: Run, operation: DescribedOperation): boolean {
  return !session.credentials.isSecured(operation) || session.credentials.has(operation)
}

const tagFollowsRepresentation: Law = async (run, operation) => {
  const name = 'the tag changes with the representation, and only then'
  const isWrite = ['PUT', 'PATCH'].includes(operation.method)
  if (!isWrite && operation.method !== 'GET') return
  const valid = await run.sample(operation)
  const before = valid && (await read(run, operation, valid.path))
  const tag = before?.headers.get('ETag')
  if (!valid || !before || !tag || before.status !== 200) return
  const again = await read(run, operation, valid.path)
  if (again && again.text === before.text && again.headers.get('ETag') !== tag)
    return broken(run, operation, name, 'two equal representations have different tags', again)
  if (!isWrite) return
  let [last, lastTag] = [again ?? before, tag]
  for (const known of run.good.get(operation.name) ?? []) {
    const outcome = await run.parts.session.send(
      operation,
      await run.prepared(operation, { ...known, path: valid.path }),
    )
    const after = await read(run, operation, valid.path)
    const afterTag = after?.headers.get('ETag') ?? undefined
    if (after?.status !== 200 || afterTag === undefined) return
    if (after.text !== last.text && afterTag === lastTag)
      return broken(
        run,
        operation,
        name,
        'the representation changed, and its tag did not',
        outcome,
      )
    ;[last, lastTag] = [after, afterTag]
  }
}

/** The laws, in the order in which they are judged; docs/testing.md has what each promises. */
const LAWS: readonly Law[] = [
  staleChangesNothing,
  tagFollowsRepresentation,
  surroundingsAreTagged,
  pagesAreTheList,
  otherCursorsAreRefused,
  filtersSelect,
  createdCanBeRead,
  createdOnce,
  oneOfTwoCreations,
  locationLeads,
  redirectsEnd,
  listsChangeByOne,
  listedCanBeRead,
  parentsMatter,
  othersAreOutOfReach,
  nothingOfOthersIsShown,
  neighboursStay,
  refusalsChangeNothing,
  patchChangesOne,
  putReplaces,
  putTwice,
  uploadsAreDownloads,
  repeatedKeyChangesNothing,
  repeatedRefusalIsTheSame,
  oneOfTwoRuns,
  keyIsForOneRequest,
  keysAreOfOneCaller,
  noKeyIsRefused,
  cachedAlike,
  limitsCountDown,
]
