// The form of an Api's errors, said once: the text of a response, its media type, and what the document says of both.
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { DeclaredProblem, Failure } from '../failure.js'

// the key of what only the compiler sees
declare const errorBody: unique symbol

/**
 * How the errors of an Api are written: one value for the responses and for the document. `API_ERRORS` takes one of your own,
 * `{ mediaType: 'application/vnd.shop.error+json', schema: { … }, text: ({ code, message }) => JSON.stringify({ … }) }`.
 * `Body` is what a client parses from the text, for typed clients: `const form: ErrorForm<{ errors: string[] }> = { … }`.
 */
export interface ErrorForm<Body = unknown> {
  /** The body, for the compiler only. */
  readonly [errorBody]?: Body
  /** The media type of an error: `application/problem+json`. */
  readonly mediaType: string
  /** Its schema, in OpenAPI 3.1, which is the component `name` of the document. */
  readonly schema: SchemaObject
  /** The name of the schema among the components. Default `Error`. */
  readonly name?: string
  /** Schemas that `schema` refers to, by their names among the components. */
  readonly components?: Readonly<Record<string, SchemaObject>>
  /** A failure as text of the media type. It sees `cause` and `data`, which no client should. */
  text(failure: Failure): string
  /**
   * What the schema of a declared problem requires beyond `schema`; `data` is the schema of its members, if it has any. Without
   * this method, declared problems are documented as any other error.
   */
  problemSchema?(
    problem: Pick<DeclaredProblem, 'name' | 'status' | 'title'>,
    data: SchemaObject | undefined,
  ): SchemaObject
}
