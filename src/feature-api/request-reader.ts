import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
import type { Unknown } from '../codec/decode/decode.js'
import { type Parse, readForm, readJson } from '../http/body/body.js'
import { readMultipart } from '../http/body/multipart.js'
import type { BodyLimits } from '../http/body/request-body.js'
import { Refusal } from '../http/failure.js'
import { type Fields, parseCookies } from '../http/query.js'

/** The location of an argument in a request; `querystring` is an alias of `query`. */
export type Location =
  | 'json'
  | 'query'
  | 'querystring'
  | 'path'
  | 'form'
  | 'headers'
  | 'cookies'
  | 'files'

/** The part of a request that a reader sees. */
export interface Source {
  readonly ctx: {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    readonly request: object
  }
  /** The path parameters, decoded but not converted. */
  readonly texts: Readonly<Record<string, string>>
  readonly query: Fields | Refusal
  /** Registers a callback for the end of the request. */
  onEnd(callback: () => unknown): void
}

/** The part of an argument that a reader sees. */
export interface Wanted {
  /** The media type of its body. */
  readonly contentType: string
  readonly limits: BodyLimits
  /** The names of its fields on the wire. */
  readonly names: readonly string[]
  /** Whether an argument of the operation reads the files of the body. */
  readonly withFiles: boolean
  /**
   * The fields of a multipart form that are JSON: a part of theirs may have a file name, if its
   * media type is `application/json`.
   */
  readonly jsonParts?: readonly string[] | undefined
  /** Parses a `json` body of another language. */
  readonly parse?: Parse | undefined
}

/**
 * Reads one location of a request, without decoding it; returns a Refusal if it cannot be read.
 * Locations other than `json` yield strings by name, or a list if a name occurs more than once.
 * `undefined` means that nothing was sent.
 */
export type Reader = (source: Source, wanted: Wanted) => unknown

const query: Reader = source => source.query

const onEndOf = (source: Source) => (callback: () => unknown) => source.onEnd(callback)

/** The readers of all locations: the default of a Blueprint's `ARGUMENTS_PARSER`. */
export const READERS: Readonly<Record<Location, Reader>> = {
  json: ({ ctx }, { contentType, limits: { json: limit, depth }, parse }) =>
    readJson(ctx, { limit, depth, mediaType: contentType, parse }),
  query,
  querystring: query,
  path: ({ texts }) => texts,
  // a field that is declared as X-Token is found whatever the case in which the client sent it (RFC
  // 9110, section 5.1)
  headers({ ctx: { req } }, { names }) {
    const fields: Fields = Object.create(null)
    for (const name of names) {
      const value = req.headers[name.toLowerCase()]
      if (value !== undefined) fields[name] = value
    }
    return fields
  },
  cookies: ({ ctx }) => parseCookies(ctx.req.headers.cookie),
  form: (source, { limits, contentType, withFiles, jsonParts = [] }) =>
    readForm(source.ctx, {
      limits,
      jsonParts,
      mediaType: contentType,
      withFiles,
      onEnd: onEndOf(source),
    }),
  async files(source, { limits, jsonParts = [] }) {
    const options = { limits, jsonParts, withFiles: true, onEnd: onEndOf(source) }
    const multipart = await readMultipart(source.ctx, options, 'files')
    return multipart instanceof Refusal ? multipart : multipart.files
  },
}

/**
 * Undeclared fields are refused if the client writes the whole location, and ignored if others
 * contribute as well.
 */
export const DEFAULT_UNKNOWN: Readonly<Record<Location, Unknown>> = {
  json: 'raise',
  form: 'raise',
  query: 'exclude',
  querystring: 'exclude',
  path: 'exclude',
  headers: 'exclude',
  cookies: 'exclude',
  files: 'exclude',
}

/** Class attributes of a Blueprint, as features see them (specification, sections 4.2 to 4.8). */
export interface Attributes {
  readonly HTTP_METHODS: readonly string[]
  readonly ARGUMENTS_PARSER: Readonly<Record<Location, Reader>>
  readonly DEFAULT_LOCATION_CONTENT_TYPE_MAPPING: Readonly<Partial<Record<Location, string>>>
  readonly DEFAULT_UNKNOWN: Readonly<Record<Location, Unknown>>
  readonly DEFAULT_PAGINATION_PARAMETERS: {
    readonly page: number
    readonly pageSize: number
    readonly maxPageSize: number
  }
  readonly PAGINATION_HEADER_FIELD_NAME: string | null
  readonly PAGINATION_LINKS: boolean
  readonly ETAG_INCLUDE_HEADERS: readonly string[]
  readonly DOCSTRING_INFO_DELIMITER: string | null
  /**
   * Wraps the response data, after its entity tag has been computed; undefined if the Blueprint
   * does not wrap.
   */
  readonly prepareResponseContent: ((data: unknown) => unknown) | undefined
  /**
   * Returns the schema of what `prepareResponseContent` returns for data of the given schema;
   * undefined if the Blueprint does not override it.
   */
  readonly prepareResponseSchema:
    | ((schema: SchemaObject | ReferenceObject) => SchemaObject | ReferenceObject)
    | undefined
}
