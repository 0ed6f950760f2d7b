// The routes of chained Blueprints and Apis, for the compiler: which features each method of each rule has. `route`,
// `registerBlueprint` and their like add to them, `PathsOf` reads them.
import type { typing } from '../typing.js'
import type { Template } from './template.js'

/** Something that knows its routes: path templates, and of each the rules as they were written with the features of their methods. */
export type Routed<Known extends { readonly routes: unknown }> = { readonly [typing]: Known }

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
> = string extends Prefix ? Record<never, never> : Prefixed<WithoutSlash<Prefix>, Template<WithoutSlash<Prefix>>, Before, Routes, After>

// Keys are looked up by what is left without the prefix. With `as`, the compiler would work out all names for each that is looked up.
type Prefixed<Prefix extends string, Above extends string, Before extends readonly unknown[], Routes, After extends readonly unknown[]> = {
  [Path in `${Above}${keyof Routes & string}`]: Path extends `${Above}${infer Own extends keyof Routes & string}`
    ? PrefixedRules<Prefix, Before, Routes[Own], After>
    : never
}

type PrefixedRules<Prefix extends string, Before extends readonly unknown[], Rules, After extends readonly unknown[]> = {
  [Rule in `${Prefix}${keyof Rules & string}`]: Rule extends `${Prefix}${infer Own extends keyof Rules & string}`
    ? Between<Before, Rules[Own], After>
    : never
}

type WithoutSlash<Prefix extends string> = Prefix extends `${infer Rest}/` ? Rest : Prefix

type Between<Before extends readonly unknown[], Methods, After extends readonly unknown[]> = [Before, After] extends [
  readonly [],
  readonly [],
]
  ? Methods
  : { [Method in keyof Methods]: Methods[Method] extends readonly unknown[] ? [...Before, ...Methods[Method], ...After] : never }
