// Serves one app in every way, sends the same requests, and tells what each client and each error
// listener got.
import type Koa from 'koa'
import { appOf, type Making, type Plan } from './application.js'
import {
  inMemory,
  type Outcome,
  overHttp1,
  overHttp2,
  type Shot,
  type Transport,
} from './transports.js'

export interface Way extends Making {
  readonly name: string
  readonly over: (listener: ReturnType<Koa['callback']>) => Promise<Transport>
}

const pass = (app: Koa): void => {
  app.use((_ctx, next) => next())
}

export const WAYS: readonly Way[] = [
  { name: 'Koa', app: 'Koa', production: true, over: overHttp1 },
  { name: 'Application', app: 'Application', production: true, over: overHttp1 },
  { name: 'Koa, development', app: 'Koa', production: false, over: overHttp1 },
  { name: 'Application, development', app: 'Application', production: false, over: overHttp1 },
  { name: 'Koa behind middleware', app: 'Koa', production: true, prepare: pass, over: overHttp1 },
  {
    name: 'Application behind middleware',
    app: 'Application',
    production: true,
    prepare: pass,
    over: overHttp1,
  },
  { name: 'Koa over HTTP/2', app: 'Koa', production: true, over: overHttp2 },
  { name: 'Application over HTTP/2', app: 'Application', production: true, over: overHttp2 },
  { name: 'Application in memory', app: 'Application', production: true, over: inMemory },
]

/** What one client, and the error listener of its app, got for one request. */
export interface Seen {
  readonly outcome: Outcome
  readonly errors: readonly string[]
}

/**
 * What became of the requests of a plan, up to one that cannot be sent in this way; undefined where
 * its operations cannot stand together.
 */
export async function play(plan: Plan, way: Way): Promise<readonly Seen[] | undefined> {
  const app = appOf(plan, way)
  if (!app) return undefined
  let errors: string[] = []
  app.on('error', error => errors.push(`${error.name}: ${error.message}`))
  const transport = await way.over(app.callback())
  const seen: Seen[] = []
  for (const shot of plan.shots) {
    // what follows may depend on it
    if (transport.takes?.(shot) === false) break
    errors = []
    const outcome = await transport.send(shot)
    await new Promise(setImmediate)
    seen.push({ outcome, errors })
  }
  await transport.close()
  return seen
}

/** Errors of development, which are warnings in production. */
const STRICT = /^UndocumentedAnswerError|^CheckEtagNotCalledError|cannot be paged|has no entity tag/

/** Whether what a way got can be compared with what the first one got. */
export function isComparable({ name }: Way, { errors }: Seen, first: Seen | undefined): boolean {
  // in development an undocumented response is an error
  if (name.endsWith('development')) return !errors.some(error => STRICT.test(error))
  // without a connection, none can be cut
  return !name.endsWith('memory') || first?.outcome !== 'cut'
}

/**
 * Returns what a way has to get for what the first one got. Over HTTP/2, Koa itself sends no
 * Content-Length for an object in response to HEAD, as it does over HTTP/1.1.
 */
export function expectedOf(
  { name }: Way,
  { method }: Shot,
  { outcome: got }: Seen,
  first: Seen | undefined,
): Seen | undefined {
  const outcome = first?.outcome
  if (!name.endsWith('HTTP/2') || method !== 'HEAD' || typeof got !== 'object') return first
  if (typeof outcome !== 'object' || 'content-length' in got.headers) return first
  const { 'content-length': _, ...headers } = outcome.headers
  return { ...first, outcome: { ...outcome, headers } } as Seen
}
