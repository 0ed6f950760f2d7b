import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { ExampleObject, HeaderObject, ResponseObject } from 'openapi3-ts/oas32'
import { faultsOf } from '../../codec/encode/faults.js'
import { isBareSchema, isCodec, wrapHint } from '../../codec/shape/annotations.js'
import type { BareSchema } from '../../codec/types/standard-type.js'
import type { OutputOf, WireOutputOf } from '../../codec/types/types.js'
import type { Step } from '../../feature-api/exchange.js'
import type { Feature, Part, Representation, Route, Typing } from '../../feature-api/feature.js'
import { isProblemType, type ProblemType } from '../../feature-api/problem.js'
import { isRedirect, type StatusCode, statusCode } from '../../feature-api/reply.js'
import type {
  StatusOf,
  WireError,
  WireProblem,
  WireResponse,
  WireResponses,
} from '../../feature-api/wire/facts.js'
import { type ErrorForms, errorForms } from '../../http/errors/error-forms.js'
import { NO_CONTENT, type ProblemFailure } from '../../http/failure.js'
import { isJsonType } from '../../http/media-type.js'
import { optionsIn, shown } from '../../names.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { anything, checkOptions, defined, object, type Rules, string } from '../../options.js'
import { type Encoding, encodingOf, errorEncoding } from '../../respond/response-text.js'
import { alsoRule, negotiatePart, suffixOf } from './also.js'
import type {
  AlsoContent,
  AlsoWire,
  AlternativeWithoutCodec,
  DataOf,
  DeclaredStatus,
  EmptyFact,
  HeaderFields,
  HeadersByName,
  WithCodec,
  WithoutCodec,
} from './wire.js'

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
  /**
   * The media type of a body that is not JSON (`image/png`): the method returns a Buffer, a stream
   * or a `Response`.
   */
  readonly contentType?: Media
}

/** Options of the successful response. */
export interface SuccessOptions<
  Code extends StatusCode = StatusCode,
  Media extends string = string,
  Headers extends HeadersByName = HeadersByName,
> extends ResponseOptions<Media, Headers> {
  /**
   * The status if the method sets none: a number, a string such as `'201'` or a member of an enum.
   * Default 200.
   */
  readonly code?: Code
}

/**
 * Options of the successful response with a codec, whose value on the wire is `A`.
 */
export interface RepresentedOptions<
  A,
  Code extends StatusCode = StatusCode,
  Media extends string = string,
  Headers extends HeadersByName = HeadersByName,
  Also extends readonly string[] = readonly string[],
> extends SuccessOptions<Code, Media, Headers> {
  /**
   * Further representations of the same value, such as `csv()`: `Accept` decides, JSON comes first,
   * and a request that accepts none of them is refused with 406.
   */
  readonly also?: { readonly [I in keyof Also]: Representation<A, Also[I]> }
}

/** Options of a success without content. */
export interface EmptyOptions<Headers extends HeadersByName = HeadersByName>
  extends Pick<ResponseOptions<string, Headers>, 'description' | 'headers'> {
  /** Nothing is sent but status and header fields, as in a 202 with a `Location`. */
  readonly content: false
}

type Declares<Code extends StatusCode, Content, Headers, IsMain> = WireResponses<
  WireResponse<StatusOf<Code>, Content, HeaderFields<Headers, Code>, IsMain>
>

/** Options are not a schema of another library, whose `description` would pass for an option. */
interface NoSchema {
  readonly '~standard'?: 'wrap it: std(schema), from koa-smorest/standard'
}

/**
 * Declares the successful response: the value of the method, encoded by the codec, which omits
 * everything that it does not declare. `also` adds representations beside JSON. Without a codec the
 * value is sent unchanged; with a status that has no body (204), or with `content: false`, nothing
 * is sent (specification, section 4.3).
 */
export function response<
  const Code extends StatusCode = 200,
  const Headers extends HeadersByName = Record<never, never>,
>(
  options: EmptyOptions<Headers> & { readonly code?: Code },
): Feature<
  {
    // biome-ignore lint/suspicious/noConfusingVoidType: a method that returns nothing returns void
    value: void
    wire: Declares<Code, Record<never, never>, Headers, true>
  },
  'response'
>
export function response<
  const Code extends StatusCode = 200,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
>(
  options?: SuccessOptions<Code, Media, Headers> & NoSchema,
): Feature<
  EmptyFact<Code, 'main'> & {
    wire: Declares<Code, WithoutCodec<Code, `${Media}`>, Headers, true>
  },
  'response'
>
export function response<
  C extends t.Mixed,
  const Code extends StatusCode = 200,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
  const Also extends readonly string[] = readonly [],
>(
  codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  options?: RepresentedOptions<WireOutputOf<C>, Code, Media, Headers, Also>,
): Feature<
  {
    value: OutputOf<C>
    wire: AlsoWire<Also> &
      Declares<Code, WithCodec<`${Media}`, C> & AlsoContent<Also>, Headers, true>
  },
  'response'
>
export function response(
  first?: t.Mixed | SuccessOptions | (EmptyOptions & Pick<SuccessOptions, 'code'>),
  second?: RepresentedOptions<never>,
): Feature<Typing, 'response'> {
  refuseBareSchema('response', first)
  const [codec, options = {}] = isCodec(first) ? [first, second] : [undefined, first]
  return declare({
    code: statusCode('response', optionsIn(options).code ?? 200),
    codec,
    options,
    isMain: true,
  }) as Feature<Typing, 'response'>
}

/**
 * Declares a problem that the operation may fail with, beside any other error of its status:
 * `altResponse(OutOfStock)`.
 */
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
  wire: Declares<Status, WireError<WireProblem<Name, DataOf<C>>>, Headers, false>
}>
/**
 * Declares another response by its name among the responses of the components: `altResponse(404,
 * 'NotFound')`. It is the application's if that defines one (`api.spec.components`, or `components`
 * in `API_SPEC_OPTIONS`), and otherwise the error response that the library calls by that name. The
 * name is only about the document: what is sent is the same as without it.
 */
export function altResponse<const Code extends StatusCode>(
  code: Code,
  name: string,
): Feature<
  EmptyFact<Code> & {
    wire: WireResponses<
      WireResponse<
        DeclaredStatus<Code>,
        AlternativeWithoutCodec<Code, 'application/json'>,
        HeaderFields<Record<never, never>, Code>,
        false
      >
    >
  }
>
/**
 * Declares another response that the operation may send: `altResponse(409, { description: 'The name
 * is taken' })`. The status `default` is that of all errors that are not listed. With a codec, a
 * `reply` of that status is encoded by it; without one, an error status has the error body. A
 * 204, and a success with `content: false`, have no content: return `reply(undefined, 204)`.
 */
export function altResponse<
  const Code extends StatusCode,
  const Headers extends HeadersByName = Record<never, never>,
>(
  code: Code,
  options: EmptyOptions<Headers>,
): Feature<{
  empty: true
  wire: Declares<Code, Record<never, never>, Headers, false>
}>
export function altResponse<
  const Code extends StatusCode,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
>(
  code: Code,
  options?: ResponseOptions<Media, Headers> & NoSchema,
): Feature<
  EmptyFact<Code> & {
    wire: WireResponses<
      WireResponse<
        DeclaredStatus<Code>,
        AlternativeWithoutCodec<Code, `${Media}`>,
        HeaderFields<Headers, Code>,
        false
      >
    >
  }
>
export function altResponse<
  const Code extends StatusCode,
  C extends t.Mixed,
  const Media extends string = 'application/json',
  const Headers extends HeadersByName = Record<never, never>,
>(
  code: Code,
  codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  options?: ResponseOptions<Media, Headers>,
): Feature<{
  value: OutputOf<C>
  wire: Declares<Code, WithCodec<`${Media}`, C>, Headers, false>
}>
export function altResponse(
  what: StatusCode | ProblemType,
  first?: t.Mixed | ResponseOptions | EmptyOptions | string,
  second?: ResponseOptions,
): Feature {
  refuseBareSchema('altResponse', first)
  const name = typeof first === 'string' ? first : undefined
  const [codec, given = {}] = isCodec(first)
    ? [first, second]
    : [undefined, typeof first === 'string' ? undefined : first]
  if (!isProblemType(what)) {
    const code = what === 'default' ? what : statusCode('altResponse', what)
    return declare({ code, codec, options: given, isMain: false, ...defined({ name }) })
  }
  const { status, title } = what.problem
  const options = optionsIn(given) === given ? { description: title, ...given } : given
  return declare({ code: status, codec: undefined, options, isMain: false, problem: what })
}

function refuseBareSchema(name: string, given: unknown): void {
  if (isBareSchema(given))
    throw new TypeError(`${name}() takes a codec, not ${shown(given)}${wrapHint(given)}`)
}

interface Declared {
  readonly code: number | 'default'
  readonly codec: t.Mixed | undefined
  readonly options: ResponseOptions &
    Partial<EmptyOptions> &
    Pick<RepresentedOptions<never>, 'also'>
  /** Whether it was declared by `response`, not by `altResponse`. */
  readonly isMain: boolean
  readonly problem?: ProblemType
  /** The name among the responses of the components, if it is declared by that. */
  readonly name?: string
}

const RULES: Rules<Omit<Declared['options'], 'also'>> = {
  description: string,
  example: anything,
  examples: object,
  headers: object,
  contentType: string,
  content: { text: 'false, or left out', fits: value => value === false },
}
const MAIN_RULES: Rules<Declared['options'] & Pick<SuccessOptions, 'code'>> = {
  ...RULES,
  code: anything,
  also: alsoRule,
}

/**
 * The declarations of the features of this file: one step encodes all responses of an operation.
 */
const all = new WeakMap<Feature, Declared>()

function declare(asked: Declared): Feature {
  const { code, codec, options: given, isMain, problem } = asked
  const options: Declared['options'] = optionsIn(given)
  const also = isMain && alsoRule.fits(options.also) ? (options.also ?? []) : []
  const declared: Declared = { ...asked, options: { ...options, also } }
  const feature: Feature = {
    ...(problem && { problem: problem.problem.name }),
    ...(!isMain &&
      code !== 'default' &&
      !isLikeMain(declared) && { other: { status: code, codec } }),
    ...(isMain && { kind: 'response' }),
    ...(codec && isMain && { represents: codec }),
    ...(also.length > 0 && { varies: ['Accept'], suffixes: also.map(suffixOf) }),
    on(route) {
      if (isMain) checkOptions(route, 'response', given, MAIN_RULES)
      else checkOptions<Omit<Declared['options'], 'also'>>(route, 'altResponse', given, RULES)
      if (asked.name !== undefined && !/^[\w.-]+$/.test(asked.name))
        route.fault(
          `altResponse: the name of a response must be of letters, digits, ".", "_" and "-", not ${JSON.stringify(asked.name)}. A description is an option: { description: '…' }`,
        )
      if (code === 'default' && (codec || options.contentType !== undefined))
        route.fault(
          'altResponse: `default` has the body of errors: it takes no codec, no contentType',
        )
      if (codec && NO_CONTENT.has(Number(code)))
        route.fault(`a response of status ${code} has no body, so it takes no codec`)
      if (also.length > 0 && !codec)
        route.fault('also needs the codec of the value: response(codec, { also })')
      if (options.content === false) {
        if (codec || options.contentType !== undefined || problem)
          route.fault('a response with `content: false` takes neither a codec nor a contentType')
        if (code === 'default' || code >= 300)
          route.fault(`\`content: false\` is for a status from 200 to 299, not ${code}`)
      }
      if (options.example !== undefined && options.examples)
        route.fault('a response takes an example or examples, not both')
      for (const fault of codec ? faultsOf(codec, 'output') : []) route.fault(`response: ${fault}`)
      const responses = route.features.flatMap(other => all.get(other) ?? [])
      const main = responses.find(other => other.isMain)
      const docs: Part['docs'] = schemas => describe(route, schemas, declared, main)
      return [
        ...(also.length > 0 ? [negotiatePart(route, options.contentType ?? JSON_TYPE, also)] : []),
        {
          stage: 'encode',
          raw: true,
          docs,
          ...(responses[0] === declared && { step: encodeStep(route, responses), encodes: true }),
        },
      ]
    },
  }
  all.set(feature, declared)
  return feature
}

/**
 * Returns the step that encodes the result: as the response declared for its status, or else as the
 * main one.
 */
function encodeStep(route: Route, responses: readonly Declared[]): Step {
  const main = responses.find(({ isMain }) => isMain)
  const usual = usualStatus(main)
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
    // only the main response has further representations
    if (encode !== encodeMain || exchange.status >= 300) exchange.representation = undefined
    encode(exchange)
  }
}

function encodingFor(route: Route, declared: Declared): Encoding {
  const { code, codec, options } = declared
  if (options.content === false) return withoutContent
  const where = `${route.place}, response ${code}`
  const forms = formsOf(route)
  return isError(declared, forms)
    ? errorEncoding(forms, where)
    : encodingOf({ codec, contentType: options.contentType, where })
}

/** The status of a result without one of its own. */
function usualStatus(main: Declared | undefined): number {
  return typeof main?.code === 'number' ? main.code : 200
}

/** Nothing writes the result, so that nothing undeclared leaves. */
const withoutContent: Encoding = exchange => {
  exchange.writer = undefined
}

function formsOf({ settings }: Route): ErrorForms {
  return errorForms(settings.API_ERRORS, settings.API_PROBLEM_BASE)
}

/**
 * Returns whether the response has the body of errors: an error status declared without a codec.
 */
function isError(
  { code, codec, options: { contentType } }: Declared,
  { all }: ErrorForms,
): boolean {
  return (
    (code === 'default' || code >= 400) &&
    codec === undefined &&
    (contentType === undefined || all.some(({ mediaType }) => mediaType === contentType))
  )
}

/**
 * Returns whether the response has the body of the main response: a success declared by its status
 * alone.
 */
function isLikeMain({ code, codec, options, isMain }: Declared): boolean {
  return (
    !isMain &&
    options.content !== false &&
    code !== 'default' &&
    code < 400 &&
    codec === undefined &&
    (options.contentType ?? JSON_TYPE) === JSON_TYPE
  )
}

const JSON_TYPE = 'application/json'

function describe(
  route: Route,
  schemas: Schemas,
  declared: Declared,
  main: Declared | undefined,
): Fragment {
  const { code, options, name } = declared
  if (name !== undefined) return { responses: { [code]: schemas.namedResponse(name) } }
  const { description, example, examples, headers, contentType = JSON_TYPE } = options
  const codec = isLikeMain(declared) && !isRedirect(Number(code)) ? main?.codec : declared.codec
  const where = `${route.place}, response ${code}`
  const schema = codec
    ? schemas.of(codec, { direction: 'output', where })
    : schemaOfType(contentType)
  const wrapped =
    schema && codec && isJsonType(contentType)
      ? (route.attributes.prepareResponseSchema?.(schema) ?? schema)
      : schema
  const shown = defined({ example, examples })
  const isEmpty =
    NO_CONTENT.has(Number(code)) ||
    options.content === false ||
    (code !== 'default' && code >= 300 && code < 400 && !codec && options.contentType === undefined)
  const { problem } = declared
  const media = isError(declared, formsOf(route))
    ? schemas.errorContent(problem && { ...problem.problem, codec: problem.data })
    : { [contentType]: { ...(wrapped && { schema: wrapped }) } }
  const also = isLikeMain(declared) ? main?.options.also : options.also
  const content = Object.fromEntries([
    ...Object.entries(media).map(([type, one]) => [type, { ...one, ...shown }]),
    ...(also ?? []).map(({ mediaType, schema = STRING }) => [mediaType, { schema }]),
  ])
  return {
    responses: {
      [code]: {
        ...defined({ description }),
        ...withLocation(Number(code), headers),
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
  const all = Object.entries({ ...(needsLocation && { Location: LOCATION }), ...headers })
  return all.length > 0
    ? { headers: Object.fromEntries(all.map(([name, one]) => [name, typed(one)])) }
    : {}
}

/** A header field has a schema or a content (OpenAPI 3.2, section 4.21). */
const typed = (header: HeaderObject): HeaderObject =>
  'schema' in header || 'content' in header || '$ref' in header
    ? header
    : { ...header, schema: STRING }

const STRING: SchemaObject = { type: 'string' }

/** The schema of a body without a codec: JSON may be any value. */
function schemaOfType(contentType: string): SchemaObject | undefined {
  if (isJsonType(contentType)) return undefined
  return /^text\//i.test(contentType) ? STRING : { type: 'string', format: 'binary' }
}
