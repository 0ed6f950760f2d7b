import { createHash, hash } from 'node:crypto'
import type { HeaderObject } from 'openapi3-ts/oas31'
import { canonicalText } from '../../codec/runtime/canonical-text.js'
import type { Upload } from '../../codec/types/upload-type.js'
import { callerOf } from '../../feature-api/caller.js'
import type { CompleteResponse, Exchange } from '../../feature-api/exchange.js'
import type { Feature, Part, Route } from '../../feature-api/feature.js'
import { problem } from '../../feature-api/problem.js'
import { STAGES } from '../../feature-api/stages.js'
import type { WireError, WireProblem, WireResponse } from '../../feature-api/wire/facts.js'
import { HttpException, Refusal, retryAfter } from '../../http/failure.js'
import { reads } from '../../http/methods.js'
import { type Fragment, RETRY_LATER } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import {
  checkOptions,
  flag,
  limitFrom,
  milliseconds,
  PERIOD,
  type Period,
  type Rules,
  required,
} from '../../options.js'
import {
  begun,
  type FieldsBefore,
  fieldsBefore,
  finished,
  lacksContent,
  outcomeOf,
  REPLAYED,
  replay,
} from './outcome.js'
import type { Outcome, Run, Store } from './store.js'

/** How repetitions of a request are recognized and kept. */
export interface IdempotentOptions<Tx = undefined> {
  /** Stores the outcomes; `memoryStore()` for one process. */
  readonly store: Store<Tx>
  /** How long outcomes are kept. Default 24 hours. */
  readonly keep?: Period
  /**
   * Whether a request without a key is refused with 400. Default false: it runs each time it is
   * sent.
   */
  readonly required?: boolean
  /** The largest body that is kept, in bytes. Default 256 KiB. */
  readonly maxSize?: number
}

/**
 * The properties that a store adds for the method; with `MayLack`, only if the request has a key.
 */
type Handed<Tx, MayLack = never> = [Tx] extends [undefined]
  ? Record<never, never>
  : { transaction: Tx | MayLack }

/**
 * Carries out a write once, however often it is sent: the first request with an `Idempotency-Key`
 * runs the method, and every repetition gets the same response with `Idempotency-Replayed: true`. A
 * key belongs to its caller (`secure` with schemes that `identify`), to the method and the rule.
 * The same key with another request is refused with 422; while the first request runs, with 409 and
 * Retry-After. Failures before the method begins, and all 5xx, are not kept. For methods that
 * write.
 */
export function idempotent<Tx = undefined>(
  options: IdempotentOptions<Tx> & { readonly required: true },
): Feature<{ named: Handed<Tx>; wire: IdempotentWire<true> }, 'idempotent'>
export function idempotent<Tx = undefined>(
  options: IdempotentOptions<Tx>,
): Feature<{ named: Handed<Tx, undefined>; wire: IdempotentWire<false> }, 'idempotent'>
export function idempotent<Tx>(
  options: IdempotentOptions<Tx>,
): Feature<Record<never, never>, 'idempotent'> {
  return {
    kind: 'idempotent',
    problem: Running.problem.name,
    gives: ['transaction'],
    on: route => bind(route, options),
  }
}

/** The failure of a request whose key is in use. */
const Running = problem('idempotency-running', {
  status: 409,
  title: 'A request with this Idempotency-Key is still running',
})

/** A request that holds a key. */
interface Held {
  readonly run: Run<unknown>
  readonly before: FieldsBefore
}

// on the exchange, which costs less than a WeakMap
const HELD = Symbol('idempotent')
type Holding = Exchange & { [HELD]?: Held | undefined }

const KEY_FIELD = 'Idempotency-Key'
const refusal = (code: number, text: string) =>
  new Refusal(code, { errors: { headers: { [KEY_FIELD]: [text] } } })
const MISSING = refusal(400, 'Missing data for required field.')
const OTHER_REQUEST = refusal(422, 'Was used for another request.')
const notKept = (was: string) =>
  new Refusal(409, {
    message: `The request ${was} before. Its response is not kept, so it cannot be sent again.`,
  })
const SUCCESS_NOT_KEPT = notKept('has succeeded')
/**
 * A stream with an error status, or a response that the method wrote to the socket: its bytes are
 * unknown.
 */
const OTHER_NOT_KEPT = notKept('was handled')

function bind<Tx>(route: Route, given: IdempotentOptions<Tx>): readonly Part[] {
  const options = checkOptions(route, 'idempotent', given, RULES)
  check(route)
  const keepMs = milliseconds(options.keep ?? '24h') as number
  const { store, required = false, maxSize = 256 * 1024 } = options
  const operation = `${route.method} ${route.rule.template}`

  async function begin(
    exchange: Exchange,
    key: string,
  ): Promise<Refusal | CompleteResponse | undefined> {
    const caller = callerOf(exchange, route.place, 'because idempotent has to tell whose a key is')
    const owner = caller && hashOf([caller.scheme, caller.identity])
    const fullKey = hashOf([operation, caller?.scheme, caller?.identity, key])
    const fingerprint = await fingerprintOf(exchange)
    const found = await ask(() => store.begin(fullKey, fingerprint, keepMs, owner), begun)
    if (found.state === 'running') return isRunning(found.retryAfter)
    if (found.state === 'done')
      return found.fingerprint === fingerprint ? again(found.outcome) : OTHER_REQUEST
    const { run } = found
    ;(exchange as Holding)[HELD] = { run, before: fieldsBefore(exchange) }
    hand(route, exchange, run.transaction)
    return undefined
  }

  async function end(exchange: Exchange): Promise<void> {
    const held = (exchange as Holding)[HELD]
    if (held === undefined) return
    ;(exchange as Holding)[HELD] = undefined
    const run = held.run as Run<Tx>
    // with a transaction nothing has happened yet, so the repetition may run
    if (run.transaction === undefined && lostItsResponse(exchange)) return keep(run, RESPONSE_LOST)
    if (!isKept(exchange)) return release(exchange, run)
    let outcome: Outcome
    try {
      outcome = outcomeOf(exchange, held.before, maxSize)
    } catch (error) {
      await release(exchange, run)
      throw error
    }
    await keep(run, outcome)
  }

  async function keep(run: Run<Tx>, outcome: Outcome): Promise<void> {
    const isOurs = await ask(() => store.finish(run, outcome), finished)
    // the client has to see the outcome of the run that holds the key by now, which could differ
    if (!isOurs) throw new HttpException(isRunning(1))
  }

  async function release({ ctx }: Exchange, run: Run<Tx>): Promise<void> {
    try {
      await store.release(run)
    } catch (cause) {
      // the request has failed already, and what a store leaves behind runs out
      ctx.app.emit(
        'error',
        cause instanceof Error ? cause : new Error('idempotent: a key was not released', { cause }),
        ctx,
      )
    }
  }

  return [
    {
      stage: 'replay',
      step(exchange) {
        const field = exchange.ctx.req.headers['idempotency-key'] as string | undefined
        if (field === undefined) return required ? MISSING : undefined
        const key = parseKey(field)
        return key === undefined ? MALFORMED : begin(exchange, key)
      },
      docs: schemas => describe(schemas, required),
    },
    {
      stage: 'keep',
      step: exchange => (HELD in exchange ? end(exchange) : undefined),
    },
  ]
}

/**
 * Calls a store, and checks its result. Any failure of the store is a 503: without it nobody knows
 * whether the request was carried out. Thrown, so that it is logged and rolled back.
 */
async function ask<T>(call: () => Promise<T>, check: (result: T) => T): Promise<T> {
  try {
    return check(await call())
  } catch (cause) {
    throw new HttpException({ code: 503, headers: { 'Retry-After': retryAfter(1) }, cause })
  }
}

function again(outcome: Outcome): Refusal | CompleteResponse {
  if (!lacksContent(outcome)) return replay(outcome)
  return outcome.status < 400 ? SUCCESS_NOT_KEPT : OTHER_NOT_KEPT
}

function isRunning(seconds: number): Refusal {
  return Running({ headers: { 'Retry-After': retryAfter(seconds) } })
}

function hand({ place }: Route, { named }: Exchange, transaction: unknown): void {
  if (transaction === undefined) return
  if (Object.hasOwn(named, 'transaction'))
    throw new TypeError(
      `${place}: "transaction" is what the store of idempotent gives to the method: rename the parameter or field`,
    )
  named.transaction = transaction
}

const METHOD = STAGES.indexOf('method')

/** Returns whether the outcome is kept: the method had begun, and the server did not fail. */
function isKept({ stage, failure, status }: Exchange): boolean {
  return STAGES.indexOf(stage) >= METHOD && (failure?.code ?? status) < 500
}

/** The outcome of a method that ran to its end, but whose result could not be sent. */
const RESPONSE_LOST: Outcome = { status: 500, headers: [], body: null, failed: false }

/** Returns whether the server failed after the method had run to its end. */
function lostItsResponse({ stage, failure }: Exchange): boolean {
  return failure !== undefined && failure.code >= 500 && STAGES.indexOf(stage) > METHOD
}

const RULES: Rules<IdempotentOptions<never>> = {
  store: required({
    text: 'a store with begin, finish and release, such as memoryStore()',
    fits: store =>
      ['begin', 'finish', 'release'].every(name => typeof Object(store)[name] === 'function'),
  }),
  keep: PERIOD,
  required: flag,
  maxSize: limitFrom(0),
}

function check(route: Route): void {
  if (reads(route.method) || route.method === 'OPTIONS')
    route.fault(
      `idempotent: ${route.method} changes nothing, so it may be repeated: put idempotent on methods that write`,
    )
  if (
    route.features.some(({ secured }) => secured) &&
    !route.features.some(({ identifies }) => identifies)
  )
    route.fault(
      'idempotent: a key belongs to its caller, so each scheme of secure() has to name one: give it { identify: principal => … }',
    )
}

function describe(schemas: Schemas, required: boolean): Fragment {
  const { problem } = Running
  return {
    parameters: [
      { in: 'header', name: KEY_FIELD, description: KEY_DESCRIPTION, required, schema: KEY_SCHEMA },
    ],
    every: { headers: { [REPLAYED]: REPLAYED_HEADER } },
    responses: {
      400: schemas.errorResponse(400),
      409: {
        description: problem.title,
        headers: { 'Retry-After': RETRY_LATER },
        content: schemas.errorContent({ ...problem, codec: undefined }),
      },
      422: schemas.errorResponse(422),
      503: schemas.errorResponse(503, { headers: { 'Retry-After': RETRY_LATER } }),
    },
  }
}

const KEY_DESCRIPTION =
  'Names this request, so that it happens once however often it is sent: a new random text, such as a UUID, for each new request'
const REPLAYED_HEADER: HeaderObject = {
  description: '`true` if the request was sent before, and this is its first response again',
  schema: { type: 'string', enum: ['true'] },
}

// The value of Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07): the draft requires a
// quoted string of structured fields, but nearly all clients send the bare key.

const LONGEST = 255

/**
 * A string of structured fields (RFC 9651, section 3.3.3), and visible ASCII characters without a
 * quote in front.
 */
const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+"$/
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/

/** Returns the key in a field, quoted or not; undefined if it is invalid. */
function parseKey(field: string): string | undefined {
  const bare = BARE.test(field) ? field : undefined
  const key = QUOTED.test(field) ? field.slice(1, -1).replace(/\\(["\\])/g, '$1') : bare
  return key !== undefined && key.length <= LONGEST ? key : undefined
}

/** The schema of the field. */
const KEY_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: LONGEST,
  pattern: '^[!-~]+$',
} as const

const MALFORMED = refusal(
  400,
  `Must be a quoted string or a token of 1 to ${LONGEST} visible ASCII characters, sent once.`,
)

// Tells whether two requests with one Idempotency-Key are the same request: by a hash of their
// arguments, which the store keeps beside the outcome.

/**
 * Returns the fingerprint of a request: a hash of the path parameters, all decoded arguments
 * (write-only fields and the contents of files included) and the preconditions as they were sent.
 * Returns a promise if files have to be read.
 */
function fingerprintOf({ ctx, texts, inputs }: Exchange): string | Promise<string> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.req.headers
  const files: Upload[] = []
  const fingerprint = hashOf([texts, inputs, ifMatch, ifNoneMatch], files)
  if (files.length === 0) return fingerprint
  return Promise.all(files.map(digestOf)).then(digests => hashOf([fingerprint, digests]))
}

/**
 * Returns the SHA-256 of a value in base64url, 43 characters. Uploads in the value are added to
 * `files`.
 */
function hashOf(value: unknown, files: Upload[] = []): string {
  return hash('sha256', canonicalText(value, files), 'base64url')
}

async function digestOf(file: Upload): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of file.stream()) digest.update(chunk as Uint8Array)
  return digest.digest('base64url')
}

/** The wire facts of `idempotent`. */
export interface IdempotentWire<IsRequired> {
  header: IsRequired extends true ? { 'Idempotency-Key': string } : { 'Idempotency-Key'?: string }
  every: { 'Idempotency-Replayed'?: 'true' }
  errors: 400 | 422
  responses:
    | WireResponse<
        409,
        WireError<WireProblem<'idempotency-running', unknown>>,
        { 'Retry-After'?: number },
        false
      >
    | WireResponse<503, WireError, { 'Retry-After'?: number }, false>
}
