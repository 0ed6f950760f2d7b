// What happens to one request of an operation: the flat list of steps that registration compiles the features to.
import { EarlyReturn } from '../contract/early-return.js'
import { type Context, Exchange } from '../contract/exchange.js'
import type { Part, Route } from '../contract/feature.js'
import { type Outcome, STAGES, type Step } from '../contract/stages.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import type { IsAlone } from './fast-response.js'
import { answerRaw, answerStep } from './response.js'
import { isPromise, settle } from './result.js'

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
  const leave = (exchange: Exchange, thrown: unknown): Outcome | Promise<Outcome> => {
    if (!(thrown instanceof EarlyReturn)) throw thrown
    exchange.isRaw = true
    return answer(exchange)
  }
  const call: Step = exchange => {
    let outcome: void | Promise<void>
    try {
      outcome = settle(exchange, view(exchange.ctx, ...exchange.arguments, exchange.named))
    } catch (thrown) {
      return leave(exchange, thrown)
    }
    return isPromise(outcome)
      ? outcome.then(
          () => answer(exchange),
          thrown => leave(exchange, thrown),
        )
      : answer(exchange)
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
