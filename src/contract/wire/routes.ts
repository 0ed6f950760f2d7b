// The routes of chained Blueprints and Apis, for the compiler: which features each method of each rule has. `route`,
// `registerBlueprint` and their like add to them, `PathsOf` reads them.
import type { typing } from '../typing.js'

/** Something that knows its routes: rules as they were written, and of each the features of its methods in lower case. */
export type Routed<Routes> = { readonly [typing]: { readonly routes: Routes } }

/** The routes that chained calls have added; none where statements have. */
export type RoutesOf<Declared> = Declared extends { readonly [typing]: { readonly routes: infer Routes } } ? Routes : Record<never, never>

/**
 * The same routes under a prefix, with features before and behind their own. Under a prefix that the compiler does not know there are
 * none: their paths would be wrong.
 */
export type Under<
  Prefix extends string,
  Before extends readonly unknown[],
  Routes,
  After extends readonly unknown[] = [],
> = string extends Prefix
  ? Record<never, never>
  : { [Rule in keyof Routes as `${WithoutSlash<Prefix>}${Rule & string}`]: Between<Before, Routes[Rule], After> }

type WithoutSlash<Prefix extends string> = Prefix extends `${infer Rest}/` ? Rest : Prefix

type Between<Before extends readonly unknown[], Methods, After extends readonly unknown[]> = [Before, After] extends [
  readonly [],
  readonly [],
]
  ? Methods
  : { [Method in keyof Methods]: Methods[Method] extends readonly unknown[] ? [...Before, ...Methods[Method], ...After] : never }
