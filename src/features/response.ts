import type * as t from 'io-ts'
import type { ExampleObject, HeaderObject, ReferenceObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31'
import { ambiguities } from '../codec/decode/ambiguity.js'
import { writerOf as codecWriterOf } from '../codec/encode/encode.js'
import type { OutputOf } from '../codec/shape/types.js'
import type { Feature, Part, Route } from '../contract/feature.js'
import { isRedirect, type StatusCode, statusCode } from '../contract/reply.js'
import type { Step } from '../contract/step.js'
import type { Typing } from '../contract/typing.js'
import { NO_CONTENT } from '../http/status.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'

/** How an answer is documented. */
export interface ResponseOptions {
  readonly description?: string
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, ExampleObject>>
  /** Documentation of header fields that the method sets. */
  readonly headers?: Readonly<Record<string, HeaderObject>>
  /** The media type of a body that is no JSON (`image/png`): the method answers a Buffer, a stream or a `Response`. */
  readonly contentType?: string
}

/** How the successful answer is documented, and its status. */
export interface SuccessOptions extends ResponseOptions {
  /** The status where the method gives none: a number, its text or a member of an enum. Default 200. */
  readonly code?: StatusCode
}

/**
 * The successful answer: the method's value, encoded by the codec, which lets nothing out that it does not declare.
 * Without a codec the value is sent as it is; with a code that has no body (204) nothing is (specification, section 4.3).
 */
export function response(options?: SuccessOptions): Feature<Record<never, never>, 'response'>
export function response<C extends t.Mixed>(codec: C, options?: SuccessOptions): Feature<{ value: OutputOf<C> }, 'response'>
export function response(first?: t.Mixed | SuccessOptions, second?: SuccessOptions): Feature<Typing, 'response'> {
  const [codec, options = {}] = isCodec(first) ? [first, second] : [undefined, first]
  return answer({ code: statusCode(options.code ?? 200), codec, options, isMain: true }) as Feature<Typing, 'response'>
}

/**
 * Another answer that the operation may give, for the document: `altResponse(409, { description: 'The name is taken' })`.
 * With a codec, a `reply` of that status is encoded by it; without one, an error status has the error body.
 */
export function altResponse(code: StatusCode, options?: ResponseOptions): Feature<Record<never, never>>
export function altResponse<C extends t.Mixed>(code: StatusCode, codec: C, options?: ResponseOptions): Feature<{ value: OutputOf<C> }>
export function altResponse(status: StatusCode, first?: t.Mixed | ResponseOptions, second?: ResponseOptions): Feature {
  const [codec, options = {}] = isCodec(first) ? [first, second] : [undefined, first]
  return answer({ code: statusCode(status), codec, options, isMain: false })
}

/** An answer as it was declared. */
interface Answer {
  readonly code: number
  readonly codec: t.Mixed | undefined
  readonly options: ResponseOptions
  /** Of `response`, and not of `altResponse`. */
  readonly isMain: boolean
}

/** The declarations behind features of this file: one step serves all answers of an operation. */
const all = new WeakMap<Feature, Answer>()

function answer(declared: Answer): Feature {
  const { code, codec, options, isMain } = declared
  const feature: Feature = {
    ...(isMain && { kind: 'response' }),
    ...(codec && isMain && { represents: codec }),
    on(route) {
      if (codec && NO_CONTENT.has(code)) route.fault(`an answer of status ${code} has no body, so it takes no codec`)
      if (options.example !== undefined && options.examples) route.fault('an answer takes an example or examples, not both')
      for (const ambiguity of codec ? ambiguities(codec, 'output') : []) route.fault(`response: ${ambiguity}`)
      const answers = route.features.filter(other => all.has(other))
      const docs: Part['docs'] = schemas => describe(route, schemas, declared)
      return [
        { stage: 'encode', docs, ...(answers[0] === feature && { step: encodeStep(answers.map(other => all.get(other) as Answer)) }) },
      ]
    },
  }
  all.set(feature, declared)
  return feature
}

/** Says what writes the result: the answer that is declared for its status, or else the main one. */
function encodeStep(answers: readonly Answer[]): Step {
  const main = answers.find(({ isMain }) => isMain)
  const writeMain = writerOf(main?.codec)
  const writers = new Map(answers.map(({ code, codec }) => [code, writerOf(codec)]))
  if (main) writers.set(main.code, writeMain)
  const usual = main?.code ?? 200
  return exchange => {
    exchange.status ||= usual
    exchange.writer = exchange.status === usual ? writeMain : (writers.get(exchange.status) ?? writeMain)
  }
}

function writerOf(codec: t.Mixed | undefined): (value: unknown) => string {
  return codec ? codecWriterOf(codec) : value => JSON.stringify(value ?? null)
}

function describe(route: Route, schemas: Schemas, { code, codec, options }: Answer): Fragment {
  const { description, example, examples, headers, contentType = 'application/json' } = options
  const where = `${route.place}, response ${code}`
  const schema = codec ? schemas.of(codec, { direction: 'output', where }) : schemaWithoutCodec(code, contentType, schemas)
  const wrapped = schema && codec ? (route.attributes.prepareResponseSchema?.(schema) ?? schema) : schema
  const media = { ...(wrapped && { schema: wrapped }), ...(example !== undefined && { example }), ...(examples && { examples }) }
  const isEmpty = NO_CONTENT.has(code) || (code >= 300 && code < 400 && !codec && options.contentType === undefined)
  const content = isEmpty ? undefined : { [contentType]: media }
  return {
    responses: {
      [code]: {
        ...(description !== undefined && { description }),
        ...withLocation(code, headers),
        ...(content && { content }),
      } as ResponseObject,
    },
  }
}

const LOCATION: HeaderObject = { description: 'Where to go', required: true, schema: { type: 'string', format: 'uri-reference' } }

/** A redirect says all with its Location; a description of one's own wins. */
function withLocation(code: number, headers: ResponseOptions['headers']): Pick<ResponseObject, 'headers'> {
  const needsLocation = code > 300 && isRedirect(code) && !Object.keys(headers ?? {}).some(name => name.toLowerCase() === 'location')
  const all = { ...(needsLocation && { Location: LOCATION }), ...headers }
  return Object.keys(all).length > 0 ? { headers: all } : {}
}

/** What is not encoded: an error has the error body, another media type is bytes to us, and JSON may be anything. */
function schemaWithoutCodec(code: number, contentType: string, schemas: Schemas): SchemaObject | ReferenceObject | undefined {
  if (contentType !== 'application/json') return BINARY
  return code >= 400 ? schemas.error() : undefined
}

const BINARY: SchemaObject = { type: 'string', format: 'binary' }

function isCodec(value: unknown): value is t.Mixed {
  return typeof (value as Partial<t.Mixed> | undefined)?.validate === 'function'
}
