import type { Refusal } from '../http/failure.js'
import type { Exchange } from './exchange.js'

/**
 * The order in which an operation decides, and so which answer wins. It is policy, and stands here only:
 *
 * | stage     | what happens                                   | what it may answer |
 * |-----------|------------------------------------------------|--------------------|
 * | access    | who is it, may they                            | 401, 403           |
 * | required  | is there a condition where one is demanded     | 428                |
 * | arguments | read and decode, in the descriptor's order     | 415, 413, 400, 422 |
 * | load      | load the current representation, compare       | 404, 412           |
 * | method    | the view's method                              | whatever it aborts with |
 * | page      | cut the page out of the collection             |                    |
 * | encode    | result to text                                 | 500                |
 * | tag       | entity tag, conditions on the answer           | 304, 412           |
 *
 * Before all of them stand the routing's 404 and 405. Within a stage the descriptor's order stands.
 */
export const STAGES = ['access', 'required', 'arguments', 'load', 'method', 'page', 'encode', 'tag'] as const

/** One of the `STAGES`. */
export type Stage = (typeof STAGES)[number]

/** What a step does to an exchange. It returns a refusal to answer at once, nothing to go on; only promises are awaited. */
export type Step = (exchange: Exchange) => Outcome | Promise<Outcome>

/** Nothing, to go on, or the refusal that is the answer. */
// biome-ignore lint/suspicious/noConfusingVoidType: a step that only does something is the common case
export type Outcome = void | Refusal
