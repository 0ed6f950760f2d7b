// Runs an operation for a request: the flat lists of steps that registration compiles its features
// to.
import { shapeOf } from '../codec/shape/shape-of.js'
import { canBeEither } from '../codec/traits/either.js'
import {
  argumentsOf,
  CompleteResponse,
  type Context,
  EarlyReturn,
  type Exchange,
  type Step,
  type StepResult,
  setArgument,
} from '../feature-api/exchange.js'
import type { Feature, Part, Route } from '../feature-api/feature.js'
import { attempt, isPromise, type Later, proceed } from '../feature-api/later.js'
import { STAGES, type Stage } from '../feature-api/stages.js'
import type { Failure } from '../http/failure.js'
import { shown } from '../names.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import { apartPart } from './private-response.js'
import { bodyStep, type IsAlone, sendRaw, sendValue } from './response.js'
import { type Settling, settle, statusSet } from './result.js'
import { failureOf, noteOfOperation, reportFault } from './thrown.js'

/** The stages that a feature may have parts in: all but the method, which is the view's. */
const OF_FEATURES: readonly Stage[] = STAGES.filter(stage => stage !== 'method')

/** A method of a view, as a function of the context and its arguments. */
export type View = (ctx: Context, ...rest: readonly unknown[]) => unknown

/** An operation that is ready to run and to be described. */
export interface CompiledOperation {
  /** The steps of `begin`, which run before the Blueprint's middleware; undefined without any. */
  readonly begin: Run | undefined
  /** All other steps, and the response. */
  readonly run: Run
  readonly describe: (schemas: Schemas) => readonly Fragment[]
}

/**
 * Runs steps for a request. Returns, or resolves to, the result that ended the request; nothing
 * once a response has been sent.
 */
export type Run = (exchange: Exchange) => StepResult | Promise<StepResult>

interface StagedStep {
  readonly stage: Stage
  readonly run: Step
}

/** A route whose features are not bound yet: their arguments are counted while they are. */
export type UnboundRoute = Omit<Route, 'argument'>

/**
 * Binds features to a route; each makes its decisions once, here. A request runs a flat list of
 * steps around the method. Only promises are awaited.
 */
export function compile(route: UnboundRoute, view: View, isAlone: IsAlone): CompiledOperation {
  const { parts, count } = partsOn(route)
  const begin = stepsOf(parts, BEGIN)
  const keep = stepsOf(parts, KEEP)
  const send: Step = exchange => (exchange.isRaw ? sendRaw(exchange) : sendValue(exchange, isAlone))
  // if nothing is kept, sending is one more step and costs no promise of its own
  const finish = finishing(route, parts, keep.length > 0 ? [] : [{ stage: 'keep', run: send }])
  const steps = [
    ...stepsOf(parts, BEFORE),
    { stage: 'method', run: calling(route, view, count, finish) } as const,
  ]
  return {
    begin:
      begin.length > 0
        ? exchange => proceed(runAll(exchange, begin, 0, { result: undefined }, firstOf), outcomeOf)
        : undefined,
    run: keep.length > 0 ? runAndKeep(steps, keep, send) : exchange => runSteps(steps, exchange, 0),
    describe: schemas => describe(parts, schemas),
  }
}

const RANKS = Object.fromEntries(STAGES.map((stage, rank) => [stage, rank])) as {
  readonly [S in Stage]: number
}
/** The stages on either side of the method. */
const BEFORE: ReadonlySet<Stage> = new Set(STAGES.slice(RANKS.begin + 1, RANKS.method))
const AFTER: ReadonlySet<Stage> = new Set(STAGES.slice(RANKS.method + 1, RANKS.keep))
const ENCODED: ReadonlySet<Stage> = new Set(['page', 'encode'])
const REPRESENTED: ReadonlySet<Stage> = new Set(['represent', 'tag'])
const BEGIN: ReadonlySet<Stage> = new Set(['begin'])
const KEEP: ReadonlySet<Stage> = new Set(['keep'])

const PART: readonly string[] = [
  'stage',
  'step',
  'raw',
  'encodes',
  'docs',
] satisfies readonly (keyof Part)[]

/**
 * Returns the parts of all features, in the order of the stages, and the number of positional
 * arguments that they give.
 */
function partsOn(unbound: UnboundRoute): {
  readonly parts: readonly Part[]
  readonly count: number
} {
  let count = 0
  let isBinding = true
  const route: Route = {
    ...unbound,
    argument() {
      if (!isBinding)
        throw new Error(
          `${unbound.place}: route.argument() must be called in on(), where positions are given`,
        )
      const index = count++
      return { set: (exchange, value) => setArgument(exchange, index, value) }
    },
  }
  const parts = route.features.flatMap(feature => partsOf(feature, route))
  isBinding = false
  for (const part of parts) {
    // its step would never run, whatever it guards
    if (!OF_FEATURES.includes(part.stage))
      route.fault(
        `a feature has a part of the stage "${part.stage}", but the stages are ${OF_FEATURES.join(', ')}`,
      )
    const unknown = Object.keys(part).find(name => !PART.includes(name))
    if (unknown !== undefined && part.step === undefined)
      route.fault(
        `a feature has a part of the stage "${part.stage}" with "${unknown}" and no step: a part has ${PART.join(', ')}`,
      )
  }
  if (!parts.some(part => part.encodes)) parts.push(PLAIN)
  const apart = apartPart(route)
  if (apart) parts.unshift(apart)
  parts.sort((left, right) => rankOf(left) - rankOf(right))
  return { parts, count }
}

/** How the result is written is decided first, so that the order of features does not matter. */
function rankOf({ stage, encodes }: Part): number {
  return RANKS[stage] - (encodes ? 0.5 : 0)
}

function describe(parts: readonly Part[], schemas: Schemas): readonly Fragment[] {
  let hasResponse = false
  const fragments = parts.flatMap(part => {
    const { stage, encodes, docs } = part
    const fragment = docs?.(schemas)
    if ((encodes && part !== PLAIN) || (stage === 'encode' && fragment?.responses))
      hasResponse = true
    return fragment ?? []
  })
  return hasResponse ? fragments : [...fragments, PLAIN_DOCS]
}

function stepsOf(parts: readonly Part[], stages: ReadonlySet<Stage>): readonly StagedStep[] {
  return parts.flatMap(({ stage, step }) => (step && stages.has(stage) ? { stage, run: step } : []))
}

/** Returns what runs after the method; for raw responses only the steps that handle them. */
function finishing(
  route: UnboundRoute,
  parts: readonly Part[],
  ending: readonly StagedStep[],
): Run {
  const body = { stage: 'encode', run: bodyStep(route) } as const
  const valueSteps = [
    ...stepsOf(parts, ENCODED),
    { stage: 'encode', run: iterableCheck(route) } as const,
    ...stepsOf(parts, REPRESENTED),
    body,
    ...ending,
  ]
  const rawSteps = [
    ...stepsOf(
      parts.filter(part => part.raw),
      AFTER,
    ),
    ...ending,
  ]
  return exchange => runSteps(exchange.isRaw ? rawSteps : valueSteps, exchange, 0)
}

/** An iterable that is not a list becomes `{}` in JSON, because nobody has read it. */
function iterableCheck({ place }: UnboundRoute): Step {
  return ({ result, stream }) => {
    if (typeof result !== 'object' || result === null || stream !== undefined) return
    if (Symbol.asyncIterator in result || result[Symbol.toStringTag as never] === 'Generator')
      throw new TypeError(
        `${place}: the method returned an iterable, which no feature of the operation streams: declare lines(codec) or events(codec), or return a list`,
      )
  }
}

/** Calls the method, and continues with its result. */
function calling({ features, place }: UnboundRoute, view: View, count: number, finish: Run): Step {
  const represented = features.findLast(feature => feature.represents)?.represents
  const settling: Settling = {
    place,
    streamsItems: features.some(({ streamsItems }) => streamsItems),
    unwrapsEither: represented === undefined || !canBeEither(shapeOf(represented)),
  }
  const leave = (exchange: Exchange, thrown: unknown): ReturnType<Run> => {
    if (!(thrown instanceof EarlyReturn)) throw thrown
    exchange.isRaw = true
    return finish(exchange)
  }
  const call = (exchange: Exchange) => {
    const before = statusSet(exchange.ctx)
    const given = argumentsOf(exchange, count)
    return settle(exchange, view(exchange.ctx, ...given, exchange.named), before, settling)
  }
  // HEAD of a stream does not call the method
  return exchange => (exchange.isRaw ? finish(exchange) : attempt(call, exchange, finish, leave))
}

/**
 * Runs the steps from an index on, until one ends the request; continues synchronously as long as
 * no step returns a promise.
 */
function runSteps(
  steps: readonly StagedStep[],
  exchange: Exchange,
  from: number,
): StepResult | Promise<StepResult> {
  for (let index = from; index < steps.length; index++) {
    const { stage, run } = steps[index] as StagedStep
    exchange.stage = stage
    const result = run(exchange)
    if (isPromise(result))
      return result.then(ended => ended ?? runSteps(steps, exchange, index + 1))
    if (result !== undefined) return result
  }
  return undefined
}

/**
 * How a request ended: with what a step returned, nothing for a success, or with what was thrown.
 */
type End = { readonly result: StepResult } | { readonly thrown: unknown }

/** Returns how a request ends whose steps have ended it twice. */
type Join = (exchange: Exchange, before: End, next: End) => End

/** Runs all steps, whatever the others do. */
function runAll(
  exchange: Exchange,
  steps: readonly StagedStep[],
  index: number,
  end: End,
  join: Join,
): Later<End> {
  const step = steps[index]
  if (step === undefined) return end
  const goOn = (end: End) => runAll(exchange, steps, index + 1, end, join)
  return attempt(
    step.run,
    exchange,
    (_, result) => goOn(result ? join(exchange, end, { result }) : end),
    (_, thrown) => goOn(join(exchange, end, { thrown })),
  )
}

function outcomeOf(end: End): StepResult {
  // not returned: middleware may have to roll something back
  if ('thrown' in end) throw end.thrown
  return end.result
}

/**
 * Steps of `begin` see every request, so a 429 of one feature has the header fields of another. The
 * first fault decides, or else the first refusal; other faults are reported here.
 */
function firstOf({ ctx }: Exchange, before: End, next: End): End {
  if ('thrown' in next) noteOfOperation(next.thrown)
  if ('thrown' in before) {
    if ('thrown' in next) reportFault(ctx, next.thrown)
    return before
  }
  return before.result && !('thrown' in next) ? before : next
}

/** A step of `keep` replaces the end of the request; a replaced fault is still logged. */
function lastOf(exchange: Exchange, before: End, next: End): End {
  if ('thrown' in before && !('thrown' in next && next.thrown === before.thrown))
    reportFault(exchange.ctx, before.thrown)
  exchange.failure = failureIn(next)
  return next
}

function failureIn(end: End): Failure | undefined {
  if ('thrown' in end) return failureOf(end.thrown)
  return end.result instanceof CompleteResponse ? undefined : (end.result ?? undefined)
}

/**
 * Runs an operation with steps in `keep`, which see how the request ended before a byte of the
 * response is sent. All of them run: what was begun for the request has to be ended.
 */
function runAndKeep(steps: readonly StagedStep[], keep: readonly StagedStep[], send: Step): Run {
  const kept = (exchange: Exchange, end: End): ReturnType<Run> => {
    exchange.failure = failureIn(end)
    return proceed(runAll(exchange, keep, 0, end, lastOf), end => outcomeOf(end) ?? send(exchange))
  }
  return exchange =>
    attempt(
      exchange => runSteps(steps, exchange, 0),
      exchange,
      (_, result) => kept(exchange, { result: result ?? undefined }),
      (_, thrown) => {
        noteOfOperation(thrown)
        return kept(exchange, { thrown })
      },
    )
}

/** The encoding of an operation without `response`: the value as JSON. */
const PLAIN: Part = {
  stage: 'encode',
  raw: true,
  encodes: true,
  step(exchange) {
    exchange.status ||= 200
    exchange.writer = value => JSON.stringify(value ?? null)
  },
}

/** The document of an operation if no feature of the stage `encode` describes its response. */
const PLAIN_DOCS: Fragment = {
  responses: { 200: { description: 'OK', content: { 'application/json': {} } } },
}

/**
 * Returns the parts of a feature. An error thrown by a feature of the application is rethrown with
 * the name of the operation.
 */
function partsOf(feature: Feature, route: Route): readonly Part[] {
  const what = feature.kind === undefined ? 'a feature' : `the feature "${feature.kind}"`
  let parts: readonly Part[]
  try {
    parts = feature.on(route)
  } catch (cause) {
    throw new Error(
      `${route.place}: on() of ${what} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
  if (Array.isArray(parts)) return parts
  route.fault(`on() of ${what} must return a list of parts, not ${shown(parts)}`)
  return []
}
