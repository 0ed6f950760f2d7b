import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { ExampleObject, HeaderObject, ResponseObject } from 'openapi3-ts/oas32'
import { faultsOf } from '../codec/encode/faults.js'
import { isCodec } from '../codec/shape/require-codec.js'
import type { OutputOf } from '../codec/types/types.js'
import type { Feature, Part, Route } from '../contract/feature.js'
import { checkOptions } from '../contract/options.js'
import { isProblemType, type ProblemType } from '../contract/problem.js'
import { isRedirect, type StatusCode, statusCode } from '../contract/reply.js'
import type { Step } from '../contract/step.js'
import type { Typing } from '../contract/typing.js'
import type {
  StatusOf,
  WireError,
  WireProblem,
  WireResponse,
  WireResponses,
} from '../contract/wire/facts.js'
import { type ErrorForms, errorForms } from '../http/errors/error-forms.js'
import type { ProblemFailure } from '../http/failure.js'
import { isJsonType } from '../http/media-type.js'
import { NO_CONTENT } from '../http/status.js'
import { optionsIn } from '../names.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import { type Encoding, encodingOf, errorEncoding } from '../respond/response-text.js'
import type {
  AlternativeWithoutCodec,
  DataOf,
  HeaderFields,
  HeadersByName,
  WithCodec,
  WithoutCodec,
} from './response/wire.js'

/** Options of a declared response. */
export interface ResponseOptions<
  Media extends string = string,
  Headers extends HeadersByName = HeadersByName,
> {
  readonly description?: string
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, ExampleObject>>
  /** Documentation of header fields that the method sets. */
  readonly headers?: Headers
  /** The media type of a body that is not JSON (`image/png`): the method returns a Buffer, a stream or a `Response`. */
  readonly contentType?: Media
}

/** Options of the successful response. */
export interface SuccessOptions<
  Code extends StatusCode = StatusCode,
  Media extends string = string,
  Headers extends HeadersByName = HeadersByName,
> extends ResponseOptions<Media, Headers> {
  /** The status if the method sets none: a number, its text or a member of an enum. Default 200. */
  readonly code?: Code
}

/**
 * Declares the successful response: the value of the method, encoded by the codec, which omits everything that it does not declare. Without
 * a codec the value is sent as it is; with a status that has no body (204) nothing is sent (specification, section 4.3).
 */
export function response<
  const Code extends StatusCode = 200,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
>(
  options?: SuccessOptions<Code, Media, Headers>,
): Feature<
  {
    wire: WireResponses<
      WireResponse<
        StatusOf<Code>,
        WithoutCodec<Code, `${Media}`>,
        HeaderFields<Headers, Code>,
        true
      >
    >
  },
  'response'
>
export function response<
  C extends t.Mixed,
  const Code extends StatusCode = 200,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
>(
  codec: C,
  options?: SuccessOptions<Code, Media, Headers>,
): Feature<
  {
    value: OutputOf<C>
    wire: WireResponses<
      WireResponse<StatusOf<Code>, WithCodec<`${Media}`, C>, HeaderFields<Headers, Code>, true>
    >
  },
  'response'
>
export function response(
  first?: t.Mixed | SuccessOptions,
  second?: SuccessOptions,
): Feature<Typing, 'response'> {
  const [codec, options = {}] = isCodec(first) ? [first, second] : [undefined, first]
  return declare({
    code: statusCode('response', optionsIn(options).code ?? 200),
    codec,
    options,
    isMain: true,
  }) as Feature<Typing, 'response'>
}

/**
 * Declares another response that the operation may send: `altResponse(409, { description: 'The name is taken' })`. With a codec, a `reply`
 * of that status is encoded by it; without one, an error status has the error body.
 */
export function altResponse<
  const Code extends StatusCode,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
>(
  code: Code,
  options?: ResponseOptions<Media, Headers>,
): Feature<{
  wire: WireResponses<
    WireResponse<
      StatusOf<Code>,
      AlternativeWithoutCodec<Code, `${Media}`>,
      HeaderFields<Headers, Code>,
      false
    >
  >
}>
export function altResponse<
  const Code extends StatusCode,
  C extends t.Mixed,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
>(
  code: Code,
  codec: C,
  options?: ResponseOptions<Media, Headers>,
): Feature<{
  value: OutputOf<C>
  wire: WireResponses<
    WireResponse<StatusOf<Code>, WithCodec<`${Media}`, C>, HeaderFields<Headers, Code>, false>
  >
}>
/** Declares a problem that the operation may fail with, beside any other error of its status: `altResponse(OutOfStock)`. */
export function altResponse<
  Name extends string,
  Status extends number,
  C extends t.Mixed | undefined,
  const Headers extends HeadersByName = Record<never, never>,
>(
  problem: ProblemType<Name, Status, never[], C>,
  options?: Omit<ResponseOptions<string, Headers>, 'contentType'>,
): Feature<{
  failure: ProblemFailure<Name>
  wire: WireResponses<
    WireResponse<
      StatusOf<Status>,
      WireError<WireProblem<Name, DataOf<C>>>,
      HeaderFields<Headers, Status>,
      false
    >
  >
}>
export function altResponse(
  what: StatusCode | ProblemType,
  first?: t.Mixed | ResponseOptions,
  second?: ResponseOptions,
): Feature {
  const [codec, given = {}] = isCodec(first) ? [first, second] : [undefined, first]
  if (!isProblemType(what))
    return declare({ code: statusCode('altResponse', what), codec, options: given, isMain: false })
  const { status, title } = what.problem
  const options = optionsIn(given) === given ? { description: title, ...given } : given
  return declare({ code: status, codec: undefined, options, isMain: false, problem: what })
}

/** The declaration of a response. */
interface Declared {
  readonly code: number
  readonly codec: t.Mixed | undefined
  readonly options: ResponseOptions
  /** Whether it was declared by `response`, not by `altResponse`. */
  readonly isMain: boolean
  readonly problem?: ProblemType
}

const OPTIONS = [
  'description',
  'example',
  'examples',
  'headers',
  'contentType',
] as const satisfies readonly (keyof ResponseOptions)[]

/** The declarations of the features of this file: one step encodes all responses of an operation. */
const all = new WeakMap<Feature, Declared>()

function declare(asked: Declared): Feature {
  const { code, codec, options: given, isMain, problem } = asked
  const options: ResponseOptions = optionsIn(given)
  const declared: Declared = { ...asked, options }
  const feature: Feature = {
    ...(problem && { problem: problem.problem.name }),
    ...(isMain && { kind: 'response' }),
    ...(codec && isMain && { represents: codec }),
    on(route) {
      checkOptions(
        route,
        isMain ? 'response' : 'altResponse',
        given,
        isMain ? [...OPTIONS, 'code'] : OPTIONS,
      )
      if (codec && NO_CONTENT.has(code))
        route.fault(`a response of status ${code} has no body, so it takes no codec`)
      if (options.example !== undefined && options.examples)
        route.fault('a response takes an example or examples, not both')
      for (const fault of codec ? faultsOf(codec, 'output') : []) route.fault(`response: ${fault}`)
      const responses = route.features.flatMap(other => all.get(other) ?? [])
      const main = responses.find(other => other.isMain)
      const docs: Part['docs'] = schemas => describe(route, schemas, declared, main)
      return [
        {
          stage: 'encode',
          raw: true,
          docs,
          ...(responses[0] === declared && { step: encodeStep(route, responses) }),
        },
      ]
    },
  }
  all.set(feature, declared)
  return feature
}

/** Returns the step that encodes the result: as the response declared for its status, or else as the main one. */
function encodeStep(route: Route, responses: readonly Declared[]): Step {
  const main = responses.find(({ isMain }) => isMain)
  const usual = main?.code ?? 200
  const encodeMain = encodingFor(
    route,
    main ?? { code: usual, codec: undefined, options: {}, isMain: true },
  )
  // a codec declared for a status wins over a problem declared for the same status
  const inOrder = [
    ...responses.filter(one => one.problem),
    ...responses.filter(one => !one.problem && !isLikeMain(one)),
  ]
  const encodings = new Map(inOrder.map(one => [one.code, encodingFor(route, one)]))
  encodings.set(usual, encodeMain)
  return exchange => {
    exchange.status ||= usual
    const encode =
      exchange.status === usual ? encodeMain : (encodings.get(exchange.status) ?? encodeMain)
    encode(exchange)
  }
}

function encodingFor(route: Route, declared: Declared): Encoding {
  const { code, codec, options } = declared
  const where = `${route.place}, response ${code}`
  const forms = formsOf(route)
  return isError(declared, forms)
    ? errorEncoding(forms, where)
    : encodingOf({ codec, contentType: options.contentType, where })
}

function formsOf({ settings }: Route): ErrorForms {
  return errorForms(settings.API_ERRORS, settings.API_PROBLEM_BASE)
}

/** Returns whether the response has the body of errors: an error status declared without a codec. */
function isError(
  { code, codec, options: { contentType } }: Declared,
  { all }: ErrorForms,
): boolean {
  return (
    code >= 400 &&
    codec === undefined &&
    (contentType === undefined || all.some(({ mediaType }) => mediaType === contentType))
  )
}

/** Returns whether the response has the body of the main response: a success declared by its status alone. */
function isLikeMain({ code, codec, options, isMain }: Declared): boolean {
  return (
    !isMain && code < 400 && codec === undefined && (options.contentType ?? JSON_TYPE) === JSON_TYPE
  )
}

const JSON_TYPE = 'application/json'

function describe(
  route: Route,
  schemas: Schemas,
  declared: Declared,
  main: Declared | undefined,
): Fragment {
  const { code, options } = declared
  const { description, example, examples, headers, contentType = JSON_TYPE } = options
  const codec = isLikeMain(declared) && !isRedirect(code) ? main?.codec : declared.codec
  const where = `${route.place}, response ${code}`
  const schema = codec
    ? schemas.of(codec, { direction: 'output', where })
    : contentType !== JSON_TYPE
      ? BINARY
      : undefined
  const wrapped =
    schema && codec && isJsonType(contentType)
      ? (route.attributes.prepareResponseSchema?.(schema) ?? schema)
      : schema
  const shown = { ...(example !== undefined && { example }), ...(examples && { examples }) }
  const isEmpty =
    NO_CONTENT.has(code) ||
    (code >= 300 && code < 400 && !codec && options.contentType === undefined)
  const { problem } = declared
  const media = isError(declared, formsOf(route))
    ? schemas.errorContent(problem && { ...problem.problem, codec: problem.data })
    : { [contentType]: { ...(wrapped && { schema: wrapped }) } }
  const content = Object.fromEntries(
    Object.entries(media).map(([type, one]) => [type, { ...one, ...shown }]),
  )
  return {
    responses: {
      [code]: {
        ...(description !== undefined && { description }),
        ...withLocation(code, headers),
        ...(!isEmpty && { content }),
      } as ResponseObject,
    },
  }
}

const LOCATION: HeaderObject = {
  description: 'Where to go',
  required: true,
  schema: { type: 'string', format: 'uri-reference' },
}

/** Adds the Location field of a redirect, unless the application documents it. */
function withLocation(
  code: number,
  headers: ResponseOptions['headers'],
): Pick<ResponseObject, 'headers'> {
  const needsLocation =
    code > 300 &&
    isRedirect(code) &&
    !Object.keys(headers ?? {}).some(name => name.toLowerCase() === 'location')
  const all = { ...(needsLocation && { Location: LOCATION }), ...headers }
  return Object.keys(all).length > 0 ? { headers: all } : {}
}

/** The schema of a body of any other media type. */
const BINARY: SchemaObject = { type: 'string', format: 'binary' }
