import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Unknown } from '../codec/decode/decode.js'
import { readForm, readJson } from '../http/body/body.js'
import { readMultipart } from '../http/body/multipart.js'
import type { BodyLimits } from '../http/body/request-body.js'
import { Refusal } from '../http/failure.js'
import { type Fields, parseCookies } from '../http/query.js'

/** Where an argument stands in a request; `querystring` is another name of `query`. */
export type Location = 'json' | 'query' | 'querystring' | 'path' | 'form' | 'headers' | 'cookies' | 'files'

/** What a reader is told of a request. */
export interface Source {
  readonly ctx: { readonly req: IncomingMessage; readonly res: ServerResponse; readonly request: object }
  /** The path parameters, decoded but not converted. */
  readonly texts: Readonly<Record<string, string>>
  readonly query: Fields | Refusal
}

/** What a reader is told of an argument. */
export interface Wanted {
  /** The media type of its body. */
  readonly contentType: string
  readonly limits: BodyLimits
  /** The names of its fields on the wire. */
  readonly names: readonly string[]
  /** Whether an argument of the operation takes the files of the body. */
  readonly withFiles: boolean
}

/**
 * Reads what stands in one location of a request, undecoded; a Refusal where it cannot be read. A location other than
 * `json` gives texts by name, a list where a name was given more than once; `undefined` is nothing at all.
 */
export type Reader = (source: Source, wanted: Wanted) => unknown

const query: Reader = source => source.query

/** The readers of all locations: the default of a Blueprint's `ARGUMENTS_PARSER`. */
export const READERS: Readonly<Record<Location, Reader>> = {
  json: ({ ctx }, { contentType, limits }) => readJson(ctx, { limit: limits.json, depth: limits.depth, mediaType: contentType }),
  query,
  querystring: query,
  path: ({ texts }) => texts,
  // a field that is declared as X-Token is found whatever the case in which the client sent it (RFC 9110, section 5.1)
  headers({ ctx: { req } }, { names }) {
    const fields: Fields = Object.create(null)
    for (const name of names) {
      const value = req.headers[name.toLowerCase()]
      if (value !== undefined) fields[name] = value
    }
    return fields
  },
  cookies: ({ ctx }) => parseCookies(ctx.req.headers.cookie),
  form: ({ ctx }, { limits, contentType, withFiles }) => readForm(ctx, { limits, mediaType: contentType, withFiles }),
  async files({ ctx }, { limits }) {
    const multipart = await readMultipart(ctx, { limits })
    return multipart instanceof Refusal ? multipart : multipart.files
  },
}

/** Fields that nobody declared are refused where a client writes the whole body, and ignored where others write too. */
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
