// The routes of chained Blueprints and Apis, for the compiler: the features of each method of each
// rule. `route`, `registerBlueprint` and similar methods add to them, and `PathsOf` reads them.
import type { typing } from '../typing.js'
import type { Template } from './template.js'

/**
 * A type that knows its routes: by path template, the rules as written, each with the features of
 * its methods.
 */
export type Routed<Known extends { readonly routes: unknown }> = { readonly [typing]: Known }

/** The routes that chained calls have added; none if the calls were separate statements. */
export type RoutesOf<Declared> = Declared extends {
  readonly [typing]: { readonly routes: infer Routes }
}
  ? Routes
  : Record<never, never>

/**
 * Adds a prefix to the paths of routes, and the features of what surrounds them. `Before` comes
 * before a route's own features and `After` comes after them. An unknown prefix (`string`) gives no
 * routes, since their paths would be wrong.
 */
export type Under<
  Prefix extends string,
  Before extends readonly unknown[],
  Routes,
  After extends readonly unknown[] = [],
> = string extends Prefix
  ? Record<never, never>
  : Prefixed<WithoutSlash<Prefix>, Template<WithoutSlash<Prefix>>, Before, Routes, After>

// Keys are looked up by the rest after the prefix. With `as`, the compiler would compute all names
// for each key that is looked up.
type Prefixed<
  Prefix extends string,
  Above extends string,
  Before extends readonly unknown[],
  Routes,
  After extends readonly unknown[],
> = {
  [Path in `${Above}${keyof Routes & string}`]: Path extends `${Above}${infer Own extends keyof Routes & string}`
    ? PrefixedRules<Prefix, Before, Routes[Own], After>
    : never
}

type PrefixedRules<
  Prefix extends string,
  Before extends readonly unknown[],
  Rules,
  After extends readonly unknown[],
> = {
  [Rule in `${Prefix}${keyof Rules & string}`]: Rule extends `${Prefix}${infer Own extends keyof Rules & string}`
    ? Between<Before, Rules[Own], After>
    : never
}

type WithoutSlash<Prefix extends string> = Prefix extends `${infer Rest}/` ? Rest : Prefix

type Between<Before extends readonly unknown[], Methods, After extends readonly unknown[]> = [
  Before,
  After,
] extends [readonly [], readonly []]
  ? Methods
  : {
      [Method in keyof Methods]: Methods[Method] extends readonly unknown[]
        ? [...Before, ...Methods[Method], ...After]
        : never
    }
