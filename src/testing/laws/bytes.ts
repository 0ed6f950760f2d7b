// A download returns the uploaded bytes.
import { createHash } from 'node:crypto'
import type { Run } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import type { DescribedOperation } from '../requests/document.js'
import { FilePart, type RequestCase } from '../requests/request-case.js'
import { createdBy } from '../send/resources.js'
import type { Outcome } from '../send/session.js'
import { broken, type Law, readAt } from './law.js'
import { itemOf, outerOf, shownAt } from './read-back.js'

/** Every byte, including sequences that are not UTF-8: decoding them would lose some. */
const BYTES = Buffer.concat([
  Uint8Array.from([...Array(256).keys(), 0xff, 0xfe, 0x0d, 0x0a, 0x0a, 0x20]),
  Buffer.from('\u00e9\u{1f44d}'),
])

/** More than fits into a column or a buffer that is too short. */
const LONG = Buffer.alloc(70_000, BYTES)

/** How many things are written. */
const THINGS = 3

export const uploadsAreDownloads: Law = async (run, operation) => {
  if (!['PUT', 'POST'].includes(operation.method)) return
  const valid = await run.sample(operation)
  if (!valid || !contentOf(valid)) return
  const upload = async (own: RequestCase | undefined) => {
    const outcome = own && (await run.send(operation, await run.prepared(operation, own)))
    return outcome && outcome.status < 300 && outcome.status !== 202
      ? { outcome: { ...outcome, sent: own }, content: contentOf(own) as Uint8Array }
      : undefined
  }
  const known = await run.parts.resources.of(operation)
  const paths = known.length > 0 ? known.slice(0, THINGS) : [valid.path]
  const done: Upload[] = []
  for (const [index, path] of paths.entries()) {
    const own = { ...valid, path }
    // each has a content of its own, so that the next one cannot pass for it
    const bytes = Buffer.concat([BYTES, Uint8Array.of(index)])
    const one = (await upload(withBytes(own, bytes))) ?? (await upload(own))
    if (one && (await compare(run, operation, one))) return
    if (one) done.push(one)
  }
  if (operation.method === 'PUT')
    for (const { outcome, content } of done)
      if (await compare(run, operation, { outcome: { ...outcome, json: undefined }, content }))
        return
  if (done.length === 0) return
  for (const bytes of [LONG, Buffer.alloc(0)]) {
    const one = await upload(withBytes(valid, bytes))
    if (one && (await compare(run, operation, one))) return
  }
}

interface Upload {
  readonly outcome: Outcome
  readonly content: Uint8Array
}

/** Returns whether there was a fault. */
async function compare(
  run: Run,
  operation: DescribedOperation,
  { outcome, content }: Upload,
): Promise<boolean> {
  const fail = (message: string) => {
    broken(run, operation, 'bytes', message, outcome)
    return true
  }
  const fault = faultOfDescription(outcome.json, content)
  if (fault) return fail(fault)
  const path = pathOf(run, operation, outcome)
  if (!path) return false
  const item = itemOf(run, operation.path)?.path ?? operation.path
  for (const get of run.operations) {
    if (get.method !== 'GET' || (get.path !== item && !get.path.startsWith(`${item}/`))) continue
    if (get.path.split('{').length - 1 > Object.keys(path).length) continue
    const found = await readAt(run, get, path)
    if (found?.status !== 200) continue
    const later = faultOfDescription(found.json, content)
    if (later) return fail(`GET ${get.path}: ${later}`)
    if (isDownload(get) && !Buffer.from(found.bytes).equals(content))
      return fail(
        `${content.length} bytes were uploaded, and GET ${get.path} has ${found.bytes.length} bytes that differ`,
      )
  }
  return false
}

function pathOf(
  run: Run,
  operation: DescribedOperation,
  outcome: Outcome,
): RequestCase['path'] | undefined {
  if (operation.method === 'PUT') return outcome.sent?.path
  const item = itemOf(run, operation.path)
  const shown = shownAt(run, operation, outcome)
  const given = item && outerOf(item, operation.path, outcome.sent?.path ?? {})
  return shown?.path ?? (item && given && createdBy(item.path, given, outcome))
}

/** Whether a GET returns the bytes unchanged, not pictures or tables made of them. */
function isDownload({ path, responses }: DescribedOperation): boolean {
  const types = Object.keys(responses[200]?.content ?? {})
  return (
    types.length > 0 &&
    types.every(type => !/json|csv|html|event-stream/.test(type)) &&
    !/thumb|preview|resize|small/i.test(path)
  )
}

/** The request with these bytes as its one file or its body; undefined if it has none. */
function withBytes(valid: RequestCase, bytes: Uint8Array): RequestCase | undefined {
  const { body } = valid
  if (body && 'text' in body) return { ...valid, body: { ...body, text: bytes } }
  const file = fileIn(valid)
  if (!body || !('value' in body) || !file) return undefined
  const part = new FilePart(bytes, file.part.type)
  return { ...valid, body: { ...body, value: { ...(body.value as object), [file.name]: part } } }
}

function contentOf(sent: RequestCase): Uint8Array | undefined {
  const { body } = sent
  return body && 'text' in body ? Buffer.from(body.text) : fileIn(sent)?.part.bytes
}

/** The one file of a form. */
function fileIn({ body }: RequestCase): { name: string; part: FilePart } | undefined {
  if (!body || !('value' in body) || !isObject(body.value)) return undefined
  const files = Object.entries(body.value).filter(([, one]) => one instanceof FilePart)
  const [[name, part] = []] = files
  return files.length === 1 && name ? { name, part: part as FilePart } : undefined
}

/** A wrong size or hash in the JSON that describes the bytes. */
function faultOfDescription(json: unknown, content: Uint8Array): string | undefined {
  if (!isObject(json)) return undefined
  const size = ['size', 'bytes', 'byteLength', 'contentLength', 'fileSize'].find(
    name => typeof json[name] === 'number',
  )
  if (size && json[size] !== content.length)
    return `${size} is ${json[size]}, and ${content.length} bytes were uploaded`
  for (const name of ['sha256', 'sha1', 'md5', 'sha512']) {
    const hash = json[name]
    if (typeof hash !== 'string' || !/^[0-9a-f]+$/i.test(hash)) continue
    if (hash.toLowerCase() !== createHash(name).update(content).digest('hex'))
      return `${name} is not that of what was uploaded`
  }
  return undefined
}
