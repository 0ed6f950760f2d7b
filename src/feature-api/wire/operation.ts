// An operation as a client sees it: parameters, request body and responses, built from the wire
// facts of its features.
import type { Flat } from '../../codec/types/types.js'
import type { ErrorForm } from '../../http/errors/error-forms.js'
import type { Joined, Said, WireOf } from './collect.js'
import type { SettingOf, WireError, WireMain, WireProblem, WireResponse } from './facts.js'
import type { PathParameters } from './template.js'

/**
 * The operation of a method under a rule. A mapped type is evaluated only when a property of it is
 * accessed, which a client that merely lists the paths with a method does not do. Path and method
 * are the first type parameters wherever a part has a name, since the compiler prints them in its
 * messages.
 */
export type OperationOf<
  Path,
  Method extends keyof Declared,
  Rule extends string,
  Declared,
  Given,
> = {
  [Part in keyof Parts<Path, Method, Rule, WireOf<Declared[Method], Method, Given>, Given>]: Parts<
    Path,
    Method,
    Rule,
    WireOf<Declared[Method], Method, Given>,
    Given
  >[Part]
}

type Parts<Path, Method, Rule extends string, Wire, Given> = {
  parameters: Parameters<
    Path,
    Method,
    In<'query', Joined<Wire, 'query'>>,
    In<'header', Joined<Wire, 'header'>>,
    InPath<PathParameters<Path, Rule>, Joined<Wire, 'path'>>,
    In<'cookie', Joined<Wire, 'cookie'>>
  >
  responses: Responses<Path, Method, Wire, Given, Declared<Said<Wire, 'responses'>>>
} & Body<Said<Wire, 'body'>>

/** The declared responses; if none of them is the main one, any JSON with status 200 is added. */
type Declared<Responses> =
  Extract<Responses, { readonly isMain: true }> extends never
    ? Responses | WireResponse<200, { 'application/json': unknown }, unknown, true>
    : Responses

/**
 * The parameters by location: optional if none of them is required, `never` for a location without
 * parameters.
 */
type Parameters<_Path, _Method, Query, Header, Path, Cookie> = Query & Header & Path & Cookie

type In<Location extends string, Fields> = [keyof Fields] extends [never]
  ? { [L in Location]?: never }
  : Nothing extends Fields
    ? { [L in Location]?: Flat<Fields> }
    : { [L in Location]: Flat<Fields> }
type InPath<OfRule, Closer> = [keyof OfRule] extends [never]
  ? { path?: never }
  : { path: unknown extends Closer ? OfRule : Flat<Omit<OfRule, keyof Closer> & Closer> }

type Nothing = Record<never, never>

type Body<Declared> = [Declared] extends [never]
  ? { requestBody?: never }
  : [Declared] extends [{ readonly required: false }]
    ? { requestBody?: { content: Content<Declared> } }
    : { requestBody: { content: Content<Declared> } }

/** The content of a body by media type. A form and files are read from one multipart body. */
type Content<Declared> =
  'files' extends Said<Declared, 'location'>
    ? { 'multipart/form-data': Flat<Joined<Declared, 'content'>> }
    : {
        [Media in Said<Declared, 'media'> & PropertyKey]: Said<
          Extract<Declared, { readonly media: Media }>,
          'content'
        >
      }

type Responses<_Path, _Method, Wire, Given, Declared> = {
  [Status in (
    | Said<Declared, 'status'>
    | Said<Wire, 'errors'>
    | Said<Said<Wire, 'byHand'>, 'status'>
    | 'default'
  ) &
    PropertyKey]: Response<Status, Wire, Given, At<Declared, Status>>
}

/** The declared responses of a status. */
type At<Declared, Status> = Declared extends { readonly status: infer Own }
  ? [Status] extends [Own]
    ? Declared
    : never
  : never

/**
 * One response. A status that is merely listed has the body of errors; one that is only documented
 * by hand has the content given there.
 */
type Response<Status, Wire, Given, Declared> = [Declared] extends [never]
  ? Status extends Said<Wire, 'errors'> | 'default'
    ? {
        headers: Headers<Every<Status, Joined<Wire, 'every'>>>
        content: ErrorContent<Given, never>
      }
    : { headers: Headers<Every<Status, Joined<Wire, 'every'>>> } & WithContent<
        Said<At<Said<Wire, 'byHand'>, Status>, 'content'>
      >
  : {
      headers: Headers<
        Every<Status, Joined<Wire, 'every'>>,
        Success<Status, Joined<Wire, 'success'>>,
        Joined<Declared, 'headers'>
      >
    } & WithContent<
      Contents<
        | Said<Declared, 'content'>
        // a feature may refuse a request with this status too, in the form of all errors
        | (Status extends Said<Wire, 'errors'> ? WireError : never),
        Wire,
        Given
      >
    >

/**
 * Header fields of every response are optional for statuses that may be sent before the operation
 * sees the request: `OUTSIDE` in fragment.ts.
 */
type Every<Status, Fields> = Status extends 400 | 404 | 'default' ? Partial<Fields> : Fields

/** Header fields of a success; a 304 repeats those that `repeatedByNotModified` selects. */
type Success<Status, Fields> = Status extends 304
  ? {
      [Name in keyof Fields as Lowercase<Name & string> extends Repeated
        ? Name
        : never]: Fields[Name]
    }
  : `${Status & number}` extends `2${string}`
    ? Fields
    : unknown
type Repeated = 'cache-control' | 'content-location' | 'date' | 'etag' | 'expires' | 'vary'

/** Header fields, and any others that middleware and servers add. */
type Headers<Every, Success = unknown, Own = unknown> = Flat<
  Own & Success & Every & { [name: string]: unknown }
>

type WithContent<ByMedia> = [KeysOf<ByMedia>] extends [never]
  ? { content?: never }
  : {
      content: {
        [Media in KeysOf<ByMedia>]: ByMedia extends { readonly [Key in Media]: infer Value }
          ? Value
          : never
      }
    }

type KeysOf<Each> = Each extends unknown ? keyof Each : never

/** Contents with their markers replaced. */
type Contents<Each, Wire, Given> =
  Each extends WireError<infer Problem>
    ? ErrorContent<Given, Problem>
    : Wrapped<Each extends WireMain ? MainContent<Said<Wire, 'responses'>> : Each, Wire>

type MainContent<Declared> = Said<Extract<Declared, { readonly isMain: true }>, 'content'>

/** JSON content as `prepareResponseContent` wraps it. */
type Wrapped<Each, Wire> =
  'wrapped' extends KeysOf<Wire>
    ? {
        [Media in keyof Each]: Media extends 'application/json' | `${string}+json`
          ? Said<Wire, 'wrapped'>
          : Each[Media]
      }
    : Each

// The bodies of errors as a client sees them, by the settings of the Api.

/** Messages about a value, or about its fields, nested as the value is. */
type ErrorMessages = string[] | { [field: string]: ErrorMessages }

/** The body of an error in the form `plain`, as a client receives it. */
interface PlainError {
  code: number
  status: string
  message?: string
  errors?: { [location: string]: ErrorMessages }
}

/** The body of an error in the form `problem`, as a client receives it (RFC 9457). */
interface ProblemError {
  type: string
  title: string
  status: number
  detail?: string
  instance?: string
  errors?: {
    detail: string
    in?: 'body' | 'query' | 'path' | 'header' | 'cookie'
    parameter?: string
    pointer?: string
  }[]
}

/**
 * The content of an error by media type, with declared problems beside the general error. If the
 * compiler does not know `API_ERRORS`, it is the content of both forms of the library.
 */
type ErrorContent<Given, Problem> = ContentOf<
  SettingOf<Given, 'API_ERRORS', 'plain'>,
  Given,
  Problem
>

type ContentOf<Form, Given, Problem> = [Form] extends [ErrorForm<infer Body>]
  ? { [Media in Form['mediaType']]: Body }
  : {
      [Media in MediaOf<Form>]: Media extends 'application/json'
        ? PlainError | Plain<Problem>
        : ProblemError | Detailed<Problem, Given>
    }

type MediaOf<Form> =
  | (Form extends 'plain' | 'negotiated' ? 'application/json' : never)
  | (Form extends 'problem' | 'negotiated' ? 'application/problem+json' : never)

type Plain<Problem> =
  Problem extends WireProblem<infer Name, infer Data>
    ? PlainError & { problem: Name } & Data
    : never

type Detailed<Problem, Given> =
  Problem extends WireProblem<infer Name, infer Data>
    ? ProblemError & {
        type: TypeOf<Name, SettingOf<Given, 'API_PROBLEM_BASE', '/problems/'>>
      } & Data
    : never

/** A name that is a URI is the type itself. */
type TypeOf<Name extends string, Base> = Name extends `${string}:${string}`
  ? Name
  : Base extends string
    ? `${Base}${Name}`
    : string
