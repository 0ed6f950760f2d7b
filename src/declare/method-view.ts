import type { Context } from '../contract/exchange.js'
import type { Feature } from '../contract/feature.js'
import type { Given, Method, NamedOf, NeededBy, ValueOf } from '../contract/signature.js'
import type { Operation } from './operation.js'

/** The methods that a view may have; `query` is QUERY, a safe request with a body (RFC 10008). */
export const VERBS = ['options', 'head', 'get', 'post', 'put', 'patch', 'delete', 'query'] as const
export type Verb = (typeof VERBS)[number]

/**
 * A view: a class with a method for each HTTP method that a path answers, and beside each the descriptor of the same
 * name, `static get = operation(…)`. `static shared` holds features of all its methods. A view is made anew for each
 * request, so what a method keeps on `this` stays within that request.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: it is what views extend; their methods are their own
export abstract class MethodView {
  /** Features of every method of the view; they come before the method's own. */
  static readonly shared?: Operation
}

/** A class of views. */
export type ViewClass = (abstract new (...given: never[]) => object) & { readonly shared?: Operation | undefined }

type FeaturesOf<O> = O extends Operation<infer Features> ? Features : []
type SharedOf<View> = View extends { shared: infer O } ? FeaturesOf<O> : []
type VerbsOf<View extends ViewClass> = Extract<keyof InstanceType<View>, Verb>

/** What stands in the place of a view whose methods do not fit; the compiler prints it. */
type FaultOf<View extends ViewClass, V, Shared extends readonly Feature[], Parameters, Ctx> = View extends {
  [Key in V & string]: Operation<infer Own>
}
  ? FaultOfMethod<V & string, InstanceType<View>[V & keyof InstanceType<View>], [...Shared, ...SharedOf<View>, ...Own], Parameters, Ctx>
  : { [Key in `${V & string}() has no descriptor: add`]: `static ${V & string} = operation(…)` }

type FaultOfMethod<V extends string, Actual, Features extends readonly unknown[], Parameters, Ctx> =
  Parameters & NamedOf<Features> extends NeededBy<Features>
    ? Actual extends Method<Features, Parameters, Ctx>
      ? never
      : Actual extends (ctx: Ctx, ...given: Given<Features, Parameters>) => unknown
        ? { [Key in `${V}() does not match its descriptor: it must return`]: ValueOf<Features> }
        : { [Key in `${V}() does not match its descriptor: after ctx it is given`]: Given<Features, Parameters> }
    : { [Key in `${V}() has a loader that needs the path parameters`]: NeededBy<Features> }

/** One key for each faulty method, so that a right one cannot hide a wrong one. */
type FaultsOf<View extends ViewClass, Shared extends readonly Feature[], Parameters, Ctx> = {
  [V in VerbsOf<View> as [FaultOf<View, V, Shared, Parameters, Ctx>] extends [never] ? never : V]: FaultOf<View, V, Shared, Parameters, Ctx>
} & {
  [V in Exclude<Extract<keyof View, Verb>, VerbsOf<View>>]: {
    [Key in `static ${V} describes a method that is not there: add`]: `${V}() { … }`
  }
}

/**
 * `unknown` where every method of the view fits its descriptor, the features that are shared with it and the parameters
 * of its rule; otherwise a type that names each method that does not, and what it must be.
 */
export type Checked<View extends ViewClass, Shared extends readonly Feature[], Parameters, Ctx = Context> = keyof FaultsOf<
  View,
  Shared,
  Parameters,
  Ctx
> extends never
  ? unknown
  : FaultsOf<View, Shared, Parameters, Ctx>[keyof FaultsOf<View, Shared, Parameters, Ctx>]
