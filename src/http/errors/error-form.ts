// The form of an Api's errors: the body of a response, its media type, and their documentation.
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { DeclaredProblem, Failure } from '../failure.js'

// the key of what only the compiler sees
declare const errorBody: unique symbol

/**
 * The form of an Api's errors: one value for the responses and for the document. `API_ERRORS` takes
 * one of your own, `{ mediaType: 'application/vnd.shop.error+json', schema: { … }, text: ({ code,
 * message }) => JSON.stringify({ … }) }`. `Body` is the type that a typed client parses from the
 * body: `const form: ErrorForm<{ errors: string[] }> = { … }`.
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
  /**
   * Writes a failure as a body of the media type. It gets `cause` and `data`, which a client should
   * not see.
   */
  text(failure: Failure): string
  /**
   * The parts of a declared problem's schema that `schema` lacks; `data` is the schema of its
   * members, if it has any. Without this method, declared problems are documented like any other
   * error.
   */
  problemSchema?(
    problem: Pick<DeclaredProblem, 'name' | 'status' | 'title'>,
    data: SchemaObject | undefined,
  ): SchemaObject
}
