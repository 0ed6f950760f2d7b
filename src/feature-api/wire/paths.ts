// The types of clients: what `openapi-typescript` would generate from the document of an Api,
// without generating it.
import type { typing } from '../feature.js'
import type { IsHidden } from './collect.js'
import type { OperationOf } from './operation.js'
import type { PathParameters, Template } from './template.js'

/**
 * The `paths` of a chained Api, for openapi-fetch and its like: `interface Paths extends
 * PathsOf<typeof api> {}` and `createClient<Paths>({ baseUrl })`. The interface spares the compiler
 * work at each call; a type alias would do. It is what `openapi-typescript` generates from the
 * document, but for uploads (`Blob`), fields with a default (optional in requests), read-only
 * fields (absent from requests) and QUERY (left out). Routes that were added by statements of their
 * own, or under a prefix that the compiler does not know, are not in it.
 */
export type PathsOf<Api> = PathItems<RoutesOf<Api>, SettingsOf<Api>>

/** The settings that an Api was given; of anything else all that they may be. */
type SettingsOf<Api> = Api extends { readonly [typing]: { readonly settings: infer Given } }
  ? Given
  : Record<never, never>

/** The methods that a Path Item of OpenAPI 3.1 has. */
type Methods = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace'

// Whenever a client accesses a property, the compiler substitutes type parameters in everything
// that the type is made of. The types below are therefore made of routes, which are short, and not
// of the features behind them. The keys, the paths that have a documented method, are written out
// here: an alias for them would be printed in messages instead of the paths.
type PathItems<Routes, Given> = {
  [Path in {
    [Each in keyof Routes]: [ShownAt<Routes[Each]>] extends [never] ? never : Each
  }[keyof Routes]]: PathItem<Path, Routes[Path], Given>
}

/** The methods of the rules of one path that are in the document. */
type ShownAt<Rules> = { [Rule in keyof Rules]: Shown<Rules[Rule]> }[keyof Rules]

type Shown<Declared> = {
  [Method in keyof Declared & Methods]: IsHidden<Declared[Method]> extends true ? never : Method
}[keyof Declared & Methods]

/** One path: its methods, and `never` for those that it does not have. */
type PathItem<Path, Rules, Given> = {
  parameters: PathLevel<PathParameters<Path, keyof Rules & string>>
} & {
  [Method in ShownAt<Rules>]: EndpointOf<Path, Method, Rules, keyof Rules, Given>
} & { [Method in Exclude<Methods, ShownAt<Rules>>]?: never }

type EndpointOf<Path, Method, Rules, Rule extends keyof Rules, Given> = Rule extends string
  ? Method extends keyof Rules[Rule]
    ? OperationOf<Path, Method, Rule, Rules[Rule], Given>
    : never
  : never

type PathLevel<Path> = { query?: never; header?: never; cookie?: never } & (keyof Path extends never
  ? { path?: never }
  : { path: Path })

// The routes of chained Blueprints and Apis, for the compiler: the features of each method of each
// rule. `route`, `registerBlueprint` and similar methods add to them, and `PathsOf` reads them.

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
