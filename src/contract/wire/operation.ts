// One operation as a client sees it: parameters, request body and responses, made of what its features say.
import type { Flat } from '../../codec/shape/field-facts.js'
import type { Boxed, Joined, Said, Unboxed, WireOf } from './collect.js'
import type { ErrorContent } from './errors.js'
import type { WireError, WireMain, WireResponse } from './facts.js'
import type { PathParameters } from './template.js'

/** The operation of a method under a rule. */
export type OperationOf<Rule extends string, Method, Features extends readonly unknown[], Given> = Operation<
  Rule,
  WireOf<Features, Method, Given>,
  Given
>

type Operation<Rule extends string, Wire, Given> = Flat<
  {
    parameters: Parameters<Located<Rule, Wire>>
    responses: Responses<Wire, Given, Declared<Said<Wire, 'responses'>>>
  } & Body<Said<Wire, 'body'>>
>

/** The responses that are declared; where none is the main one, any JSON with 200. */
type Declared<Responses> =
  Extract<Responses, { readonly isMain: true }> extends never
    ? Responses | WireResponse<200, { 'application/json': unknown }, unknown, true>
    : Responses

/** The parameters by location; `never` where there are none. */
interface Located<Rule extends string, Wire> {
  query: Flat<Joined<Wire, 'query'>>
  header: Flat<Joined<Wire, 'header'>>
  path: InPath<PathParameters<Rule>, Joined<Wire, 'path'>>
  cookie: Flat<Joined<Wire, 'cookie'>>
}

type InPath<OfRule, Closer> = [Closer] extends [never]
  ? [keyof OfRule] extends [never]
    ? never
    : OfRule
  : Flat<Omit<OfRule, keyof Closer> & Closer>

type Parameters<By> = Flat<
  { [Name in keyof By as IsNeeded<By[Name]> extends true ? Name : never]: By[Name] } & {
    [Name in keyof By as IsNeeded<By[Name]> extends true ? never : Name]?: By[Name]
  }
>

type IsNeeded<Values> = [Values] extends [never] ? false : Record<never, never> extends Values ? false : true

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

type Responses<Wire, Given, Declared> = {
  [Status in (Said<Declared, 'status'> | Said<Wire, 'errors'> | Said<Said<Wire, 'byHand'>, 'status'> | 'default') & PropertyKey]: Response<
    Status,
    Wire,
    Given,
    At<Declared, Status>
  >
}

/** Of the responses that are declared, those of a status. */
type At<Declared, Status> = Declared extends { readonly status: infer Own } ? ([Own] extends [Status] ? Declared : never) : never

/** One response; a status that is listed without more has the body of errors, and one that is only written by hand what stands there. */
type Response<Status, Wire, Given, Declared> = [Declared] extends [never]
  ? Status extends Said<Wire, 'errors'> | 'default'
    ? { headers: Headers<Joined<Wire, 'every'>>; content: ErrorContent<Given, never> }
    : { headers: Headers<Joined<Wire, 'every'>> } & WithContent<Said<At<Said<Wire, 'byHand'>, Status>, 'content'>>
  : {
      headers: Headers<Joined<Wire, 'every'>, Joined<SuccessOf<Status, Wire>, 'success'>, Unboxed<Boxed<Declared, 'headers'>>>
    } & WithContent<Contents<Said<Declared, 'content'>, Wire, Given>>

type SuccessOf<Status, Wire> = `${Status & number}` extends `2${string}` ? Wire : never

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
