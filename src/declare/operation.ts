import { type Context, Exchange, type Feature, type Outcome, type Part, type Route, STAGES, type Step } from '../contract/feature.js'
import { docstring } from '../features/docstring.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import type { IsAlone } from '../respond/fast-response.js'
import { answerRaw, answerStep } from '../respond/response.js'
import { isPromise, settle } from '../respond/result.js'

/** A list of features: the descriptor that stands beside a method. */
export interface Operation<Features extends readonly Feature[] = readonly Feature[]> {
  readonly features: Features
}

type Described<Items extends readonly (Feature | string)[]> = {
  readonly [Index in keyof Items]: Items[Index] extends Feature ? Items[Index] : Feature<Record<never, never>>
}

/**
 * Describes a method: `static get = operation('Find a pet', response(Pet))`. Features may stand in any order, but for
 * arguments, which the method is given in the order in which they are listed. A string is the docstring: its first lines
 * are the summary, what follows the first empty line is the description (specification, section 4.8).
 */
export function operation<const Items extends readonly (Feature | string)[]>(...items: Items): Operation<Described<Items>> {
  const features = items.map(item => (typeof item === 'string' ? docstring(item) : item))
  return { features: features as unknown as Described<Items> }
}

/** The view's method, bound to nothing yet: `parameters` are those of the path. */
export type View = (ctx: Context, ...rest: readonly unknown[]) => unknown

/** An operation that is ready to run and to be described. */
export interface CompiledOperation {
  /** Answers one request; resolves or returns a refusal where it is refused. */
  readonly run: (ctx: Context, named: Record<string, unknown>, texts: Readonly<Record<string, string>>) => Outcome | Promise<Outcome>
  readonly describe: (schemas: Schemas) => readonly Fragment[]
}

/**
 * Binds features to a route: each decides once, here. What is left for a request is a flat list of steps around the
 * method; nothing is awaited that is no promise.
 */
export function compile(route: Route, view: View, isAlone: IsAlone): CompiledOperation {
  const parts = inOrder(route.features.flatMap(feature => feature.on(route)))
  const method = STAGES.indexOf('method')
  const before = parts.filter(part => STAGES.indexOf(part.stage) < method)
  const after = parts.filter(part => STAGES.indexOf(part.stage) > method)
  const encoded = after.some(part => part.stage === 'encode') ? after : inOrder([...after, PLAIN])
  const steps = stepsOf(before)
  const valueSteps = [...stepsOf(encoded), answerStep(route.attributes.prepareResponseContent, isAlone)]
  const rawSteps = [...stepsOf(after.filter(part => part.raw)), answerRaw]

  const answer = (exchange: Exchange): Outcome | Promise<Outcome> => runSteps(exchange.isRaw ? rawSteps : valueSteps, exchange, 0)
  const call: Step = exchange => {
    const outcome = settle(exchange, view(exchange.ctx, ...exchange.arguments, exchange.named))
    return isPromise(outcome) ? outcome.then(() => answer(exchange)) : answer(exchange)
  }
  const whole = [...steps, call]
  return {
    run: (ctx, named, texts) => runSteps(whole, new Exchange(ctx, named, texts), 0),
    describe: schemas => [...before, ...encoded].flatMap(part => part.docs?.(schemas) ?? []),
  }
}

function inOrder(parts: readonly Part[]): readonly Part[] {
  return [...parts].sort((left, right) => STAGES.indexOf(left.stage) - STAGES.indexOf(right.stage))
}

function stepsOf(parts: readonly Part[]): readonly Step[] {
  return parts.flatMap(part => part.step ?? [])
}

/** Runs the steps from one on, until one refuses; goes on synchronously as long as no step is a promise. */
function runSteps(steps: readonly Step[], exchange: Exchange, from: number): Outcome | Promise<Outcome> {
  for (let index = from; index < steps.length; index++) {
    const outcome = (steps[index] as Step)(exchange)
    if (isPromise(outcome)) return outcome.then(refusal => refusal ?? runSteps(steps, exchange, index + 1))
    if (outcome !== undefined) return outcome
  }
  return undefined
}

/** What an operation without `response` does: the value as JSON. */
const PLAIN: Part = {
  stage: 'encode',
  step(exchange) {
    exchange.writer = value => JSON.stringify(value ?? null)
  },
  docs: () => ({ responses: { 200: { description: 'OK', content: { 'application/json': {} } } } }),
}
