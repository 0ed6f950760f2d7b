import { setTimeout as sleep } from 'node:timers/promises'
import { STAFF } from './credentials.js'

/** A write that was answered with 200: the version that it made, and the name that it wrote. */
export interface Write {
  readonly path: string
  readonly version: number
  readonly name: string
}

/** Something with a version, as it is answered. */
interface Versioned {
  readonly version: number
  readonly name: string
  readonly id: number
}

/** What writers have seen. */
export interface Tally {
  readonly acknowledged: Write[]
  /** How often each status was answered. */
  readonly statuses: Record<number, number>
  /** Answers that were no JSON. */
  malformed: number
  /**
   * Requests without an answer, by the URL of the server: the connection broke, or there was none.
   */
  readonly cut: Record<string, number>
  readonly refused: Record<string, number>
  /** When the last request that succeeded was answered, and how long none did at most, in ms. */
  lastSuccess: number
  longestPause: number
}

const CLIENTS = 24
let writes = 0

/**
 * Lets 24 clients read and conditionally write the same few things, each on one of the servers, for
 * so many milliseconds or until enough has been acknowledged. Every write has a name of its own.
 */
export async function writeConcurrently(
  urls: readonly string[],
  paths: readonly string[],
  milliseconds: number,
  enough = Number.POSITIVE_INFINITY,
): Promise<Tally> {
  const began = performance.now()
  const tally: Tally = {
    acknowledged: [],
    statuses: {},
    malformed: 0,
    cut: {},
    refused: {},
    lastSuccess: began,
    longestPause: 0,
  }
  const client = async (index: number) => {
    const url = urls[index % urls.length] as string
    for (
      let round = index;
      performance.now() < began + milliseconds && tally.acknowledged.length < enough;
      round++
    ) {
      await readAndWrite(url, paths[round % paths.length] as string, tally).catch(error =>
        noteFailure(tally, url, error),
      )
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
  return tally
}

async function readAndWrite(url: string, path: string, tally: Tally): Promise<void> {
  const read = await fetch(url + path)
  const current = (await note(tally, read)) as Versioned & { readonly [field: string]: unknown }
  if (read.status !== 200) return void (await sleep(20))
  const { id: _id, version: _version, ...fields } = current
  const name = `write ${++writes}`
  const headers = {
    'Content-Type': 'application/json',
    'If-Match': read.headers.get('ETag') ?? '',
    ...STAFF,
  }
  const written = await fetch(url + path, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ ...fields, name }),
  })
  const { version } = (await note(tally, written)) as Versioned
  if (written.status === 200) tally.acknowledged.push({ path, version, name })
}

async function note(tally: Tally, answer: Response): Promise<unknown> {
  tally.statuses[answer.status] = (tally.statuses[answer.status] ?? 0) + 1
  const text = await answer.text()
  if (answer.ok) {
    const now = performance.now()
    tally.longestPause = Math.max(tally.longestPause, now - tally.lastSuccess)
    tally.lastSuccess = now
  }
  try {
    return JSON.parse(text)
  } catch {
    tally.malformed += 1
    return {}
  }
}

async function noteFailure(tally: Tally, url: string, error: unknown): Promise<void> {
  const { code } = ((error as Error).cause ?? error) as { code?: string }
  const counts = code === 'ECONNREFUSED' ? tally.refused : tally.cut
  counts[url] = (counts[url] ?? 0) + 1
  await sleep(50)
}

/** What became of the writes that were acknowledged. */
export interface Judgement {
  readonly committed: number
  /**
   * Acknowledged writes that another has taken for not there, both having made the same version.
   */
  readonly lost: number
  /** Acknowledged writes of which the database does not know. */
  readonly missing: number
}

/** The current versions, by path. */
export async function versionsAt(
  url: string,
  paths: readonly string[],
): Promise<Map<string, Versioned>> {
  return new Map(
    await Promise.all(
      paths.map(
        async path => [path, (await (await fetch(url + path)).json()) as Versioned] as const,
      ),
    ),
  )
}

/** Holds what was acknowledged against what is there before and after. */
export function judge(
  { acknowledged }: Tally,
  before: ReadonlyMap<string, Versioned>,
  after: ReadonlyMap<string, Versioned>,
): Judgement {
  const made = new Set(acknowledged.map(({ path, version }) => `${path} ${version}`))
  const isMissing = ({ path, version, name }: Write) => {
    const last = after.get(path)
    return !last || version > last.version || (version === last.version && name !== last.name)
  }
  const committed = [...after].reduce(
    (sum, [path, { version }]) => sum + version - (before.get(path)?.version ?? 0),
    0,
  )
  return {
    committed,
    lost: acknowledged.length - made.size,
    missing: acknowledged.filter(isMissing).length,
  }
}
