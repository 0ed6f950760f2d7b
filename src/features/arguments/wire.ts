// The wire facts of an argument: parameters or a body, and the statuses with which it is refused.
import type * as t from 'io-ts'
import type { WireInputOf } from '../../codec/types/wire-types.js'
import type { Location } from '../../contract/request-reader.js'
import type { StatusOf, WireBody } from '../../contract/wire/facts.js'

/** The location in the options of `argument`. */
export type LocationIn<Options> = Options extends { readonly location: infer L extends Location }
  ? L
  : 'json'

/** The wire facts of an argument. */
// The options are evaluated here and not passed on: the compiler has two types for each object literal, and would compare them, with
// everything below, in each view.
export type ArgumentWire<C extends t.Mixed, Options, L> = Facts<
  C,
  L,
  Refusal<Options>,
  Media<Options, L>,
  Needed<Options>
>

type Facts<C extends t.Mixed, L, Status, Type extends string, IsNeeded> = L extends
  | 'query'
  | 'querystring'
  ? { query: WireInputOf<C>; errors: 400 | Status }
  : L extends 'path'
    ? { path: WireInputOf<C>; errors: Status }
    : L extends 'headers'
      ? { header: WireInputOf<C>; errors: Status }
      : L extends 'cookies'
        ? { cookie: WireInputOf<C>; errors: Status }
        : {
            body: WireBody<L & string, Type, WireInputOf<C>, IsNeeded>
            errors: 400 | 413 | 415 | Status
          }

type Refusal<Options> = Options extends { readonly errorStatusCode: infer Status extends number }
  ? StatusOf<Status>
  : 422

type Media<Options, L> = Options extends { readonly contentType: infer Own extends string }
  ? `${Own}`
  : L extends 'form'
    ? 'application/x-www-form-urlencoded'
    : L extends 'files'
      ? 'multipart/form-data'
      : 'application/json'

type Needed<Options> = Options extends { readonly required: false } ? false : true
