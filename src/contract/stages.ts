/**
 * The order in which an operation decides, and so which response wins. This constant is the only place that says it:
 *
 * | stage     | what happens                                                | how it may end the request |
 * |-----------|-------------------------------------------------------------|----------------------------|
 * | begin     | sees every request, before the Blueprint's middleware       | 410, 429                   |
 * | access    | who is it, may they                                         | 401, 403, 503              |
 * | limit     | how often may they                                          | 429, 503                   |
 * | required  | is there a condition where one is required                  | 428                        |
 * | arguments | read and decode, in the descriptor's order                  | 415, 413, 400, 422         |
 * | replay    | has this request been handled before                        | 400, 409, 422, the earlier response |
 * | load      | load the current representation, compare                    | 404, 412                   |
 * | method    | the view's method                                           | whatever it aborts with    |
 * | page      | cut the page out of the collection                          |                            |
 * | encode    | result to text                                              | 500                        |
 * | tag       | entity tag, conditions on the response                      | 304, 412                   |
 * | keep      | sees how it ended, before a byte is sent                    | 503                        |
 *
 * Before all of them the router responds with 404 and 405. Within a stage the descriptor's order decides: Blueprint, view,
 * method. The steps of `begin` all run, whatever the others of them return: the first that refuses decides.
 */
export const STAGES = [
  'begin',
  'access',
  'limit',
  'required',
  'arguments',
  'replay',
  'load',
  'method',
  'page',
  'encode',
  'tag',
  'keep',
] as const

/** One of the `STAGES`. */
export type Stage = (typeof STAGES)[number]
