// One operation as a client sees it: parameters, request body and responses, made of what its features say.
import type { Flat } from '../../codec/types/field-facts.js'
import type { Boxed, Joined, Said, Unboxed, WireOf } from './collect.js'
import type { ErrorContent } from './errors.js'
import type { WireError, WireMain, WireResponse } from './facts.js'
import type { PathParameters } from './template.js'

/**
 * The operation of a method under a rule. It is a mapped type over what is worked out only when somebody looks inside: a client that
 * lists the paths with a method does not. Path and method stand first wherever a part has a name, since the compiler's messages say it.
 */
export type OperationOf<Path, Method extends keyof Declared, Rule extends string, Declared, Given> = {
  [Part in keyof Parts<Path, Method, Rule, WireOf<Declared[Method], Method, Given>, Given>]: Parts<
    Path,
    Method,
    Rule,
    WireOf<Declared[Method], Method, Given>,
    Given
  >[Part]
}

type Parts<Path, Method, Rule extends string, Wire, Given> = {
  parameters: Parameters<Path, Method, Rule, Wire>
  responses: Responses<Path, Method, Wire, Given, Declared<Said<Wire, 'responses'>>>
} & Body<Said<Wire, 'body'>>

/** The responses that are declared; where none is the main one, any JSON with 200. */
type Declared<Responses> =
  Extract<Responses, { readonly isMain: true }> extends never
    ? Responses | WireResponse<200, { 'application/json': unknown }, unknown, true>
    : Responses

/** The parameters by location: optional where none of them is required, `never` for a location without parameters. */
type Parameters<Path, _Method, Rule extends string, Wire> = InQuery<Joined<Wire, 'query'>> &
  InHeader<Joined<Wire, 'header'>> &
  InPath<PathParameters<Path, Rule>, Joined<Wire, 'path'>> &
  InCookie<Joined<Wire, 'cookie'>>

type InQuery<Fields> = [Fields] extends [never]
  ? { query?: never }
  : Nothing extends Fields
    ? { query?: Flat<Fields> }
    : { query: Flat<Fields> }
type InHeader<Fields> = [Fields] extends [never]
  ? { header?: never }
  : Nothing extends Fields
    ? { header?: Flat<Fields> }
    : { header: Flat<Fields> }
type InCookie<Fields> = [Fields] extends [never]
  ? { cookie?: never }
  : Nothing extends Fields
    ? { cookie?: Flat<Fields> }
    : { cookie: Flat<Fields> }
type InPath<OfRule, Closer> = [keyof OfRule] extends [never]
  ? { path?: never }
  : { path: [Closer] extends [never] ? OfRule : Flat<Omit<OfRule, keyof Closer> & Closer> }

type Nothing = Record<never, never>

type Body<Declared> = [Declared] extends [never]
  ? { requestBody?: never }
  : [Declared] extends [{ readonly required: false }]
    ? { requestBody?: { content: Content<Declared> } }
    : { requestBody: { content: Content<Declared> } }

/** The content of a body by media type. Form and files are read from one, which is multipart. */
type Content<Declared> =
  'files' extends Said<Declared, 'location'>
    ? { 'multipart/form-data': Flat<Unboxed<Boxed<Declared, 'content'>>> }
    : { [Media in Said<Declared, 'media'> & PropertyKey]: Said<Declared, 'content'> }

type Responses<_Path, _Method, Wire, Given, Declared> = {
  [Status in (Said<Declared, 'status'> | Said<Wire, 'errors'> | Said<Said<Wire, 'byHand'>, 'status'> | 'default') & PropertyKey]: Response<
    Status,
    Wire,
    Given,
    At<Declared, Status>
  >
}

/** Of the responses that are declared, those of a status. */
type At<Declared, Status> = Declared extends { readonly status: infer Own } ? ([Status] extends [Own] ? Declared : never) : never

/** One response; a status that is listed without more has the body of errors, and one that is only written by hand what stands there. */
type Response<Status, Wire, Given, Declared> = [Declared] extends [never]
  ? Status extends Said<Wire, 'errors'> | 'default'
    ? { headers: Headers<Every<Status, Joined<Wire, 'every'>>>; content: ErrorContent<Given, never> }
    : { headers: Headers<Every<Status, Joined<Wire, 'every'>>> } & WithContent<Said<At<Said<Wire, 'byHand'>, Status>, 'content'>>
  : {
      headers: Headers<Every<Status, Joined<Wire, 'every'>>, Success<Status, Joined<Wire, 'success'>>, Unboxed<Boxed<Declared, 'headers'>>>
    } & WithContent<Contents<Said<Declared, 'content'>, Wire, Given>>

/** Header fields of every response may be missing where the operation has not seen the request: `OUTSIDE` of the document. */
type Every<Status, Fields> = [Fields] extends [never] ? never : Status extends 400 | 404 | 'default' ? Partial<Fields> : Fields

/** Header fields of a success, of which a 304 has those that `repeatedByNotModified` names. */
type Success<Status, Fields> = [Fields] extends [never]
  ? never
  : Status extends 304
    ? { [Name in keyof Fields as Lowercase<Name & string> extends Repeated ? Name : never]: Fields[Name] }
    : `${Status & number}` extends `2${string}`
      ? Fields
      : never
type Repeated = 'cache-control' | 'content-location' | 'date' | 'etag' | 'expires' | 'vary'

/** Header fields, and whatever else middleware and servers add. */
type Headers<Every, Success = never, Own = never> = Flat<Or<Own> & Or<Success> & Or<Every> & { [name: string]: unknown }>
type Or<Fields> = [Fields] extends [never] ? unknown : Fields

type WithContent<ByMedia> = [KeysOf<ByMedia>] extends [never]
  ? { content?: never }
  : { content: { [Media in KeysOf<ByMedia>]: ByMedia extends { readonly [Key in Media]: infer Value } ? Value : never } }

type KeysOf<Each> = Each extends unknown ? keyof Each : never

/** Contents with what marks stand for in their place. */
type Contents<Each, Wire, Given> =
  Each extends WireError<infer Problem>
    ? ErrorContent<Given, Problem>
    : Wrapped<Each extends WireMain ? MainContent<Said<Wire, 'responses'>> : Each, Boxed<Wire, 'wrapped'>>

type MainContent<Declared> = Said<Extract<Declared, { readonly isMain: true }>, 'content'>

/** JSON in what `prepareResponseContent` makes of it. */
type Wrapped<Each, Wrap> = [Wrap] extends [never]
  ? Each
  : {
      [Media in keyof Each]: Media extends 'application/json' | `${string}+json`
        ? Wrap extends [infer Inside]
          ? Inside
          : never
        : Each[Media]
    }
