import type { Operation } from './operation.js'

/** The methods that a view may have; `query` is QUERY, a safe request with a body (RFC 10008). */
export const VERBS = ['options', 'head', 'get', 'post', 'put', 'patch', 'delete', 'query'] as const
export type Verb = (typeof VERBS)[number]

/**
 * A view: a class with a method for each HTTP method of a path, and beside each the descriptor of
 * the same name, `static get = operation(…)`. `static shared` holds features of all its methods. A
 * new view is made for each request, so properties that a method sets on `this` stay within that
 * request.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: it is what views extend; their methods are their own
export abstract class MethodView {
  /** Features of every method of the view; they come before the method's own. */
  // not optional: under exactOptionalPropertyTypes every error about a view would speak of this
  static readonly shared: Operation | undefined
}

/** A class of views. */
export type ViewClass = (abstract new (
  ...given: never[]
) => object) & { readonly shared?: Operation | undefined }
