/**
 * The order in which an operation decides, and so which response wins. Only this constant defines
 * it:
 *
 * | stage     | what happens                                                | how it may end the request |
 * |-----------|-------------------------------------------------------------|----------------------------|
 * | begin     | sees every request, before the Blueprint's middleware       | 410, 429                   |
 * | access    | identify the caller, check permissions                      | 400, 401, 403, 503         |
 * | limit     | limit the rate of calls                                     | 429, 503                   |
 * | negotiate | choose the representation of the response                   | 406                        |
 * | required  | check that a required precondition was sent                 | 428                        |
 * | arguments | read and decode arguments, in the descriptor's order        | 415, 413, 400, 422         |
 * | replay    | return the response of an earlier identical request         | 400, 409, 422, 503, the earlier response |
 * | load      | load the current representation, evaluate preconditions     | 404, 412                   |
 * | prepare   | work on what was loaded                                     | 413, 415, 422              |
 * | method    | the view's method                                           | whatever it aborts with    |
 * | page      | take the page from the collection                           |                            |
 * | encode    | encode the result as text                                   | 500                        |
 * | represent | replace the text, or its form                               | 500                        |
 * | tag       | entity tag, conditions on the response                      | 304, 412                   |
 * | keep      | sees the outcome, before a byte is sent                     | 503                        |
 *
 * Before all of them the router responds with 404 and 405. Within a stage the descriptor's order
 * decides: Blueprint, view, method. All steps of `begin` run, whatever the others return: the first
 * that refuses decides.
 */
export const STAGES = [
  'begin',
  'access',
  'limit',
  'negotiate',
  'required',
  'arguments',
  'replay',
  'load',
  'prepare',
  'method',
  'page',
  'encode',
  'represent',
  'tag',
  'keep',
] as const

/** One of the `STAGES`. */
export type Stage = (typeof STAGES)[number]
