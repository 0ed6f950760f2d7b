// The types of clients: what `openapi-typescript` would generate from the document of an Api, without generating it.
import type { typing } from '../typing.js'
import type { IsHidden } from './collect.js'
import type { OperationOf } from './operation.js'
import type { RoutesOf } from './routes.js'
import type { PathParameters, Template } from './template.js'

/**
 * The `paths` of a chained Api, for openapi-fetch and its like: `createClient<PathsOf<typeof api>>({ baseUrl })`. It is what
 * `openapi-typescript` generates from the document, but for uploads (`Blob`), fields with a default (optional in requests), read-only
 * fields (absent from requests) and QUERY (left out). Routes that were added by statements of their own, or under a prefix that
 * the compiler does not know, are not in it.
 */
export type PathsOf<Api> = PathItems<Grouped<RoutesOf<Api>>, SettingsOf<Api>>

/** The settings that an Api was given; of anything else all that they may be. */
type SettingsOf<Api> = Api extends { readonly [typing]: { readonly settings: infer Given } } ? Given : Record<never, never>

/** The routes by path template: rules of one template are one path, a union here. */
type Grouped<Routes> = {
  [Rule in keyof Routes as HasShown<Routes[Rule]> extends true ? Template<Rule & string> : never]: Rule extends unknown
    ? { readonly rule: Rule; readonly methods: Routes[Rule] }
    : never
}

// The conditions of these types always hold. What a condition makes has no name, so that editors show what it is made of.
type PathItems<Paths, Given> = Paths extends unknown ? { [Path in keyof Paths]: PathItem<Paths[Path], Given> } : never

/** The methods that a Path Item of OpenAPI 3.1 has. */
type Methods = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace'

/** The methods that are in the document. */
type Shown<Declared> = { [Method in keyof Declared & Methods]: IsHidden<Declared[Method]> extends true ? never : Method }[keyof Declared &
  Methods]
type HasShown<Declared> = [Shown<Declared>] extends [never] ? false : true

interface Entry {
  readonly rule: unknown
  readonly methods: unknown
}
type ShownIn<Entries> = Entries extends Entry ? Shown<Entries['methods']> : never

/** One path: its methods, and `never` for those that it does not have. */
type PathItem<Entries, Given> = [Entries] extends [Entry]
  ? { parameters: PathLevel<PathParameters<Entries['rule'] & string>> } & Present<Entries, Given, ShownIn<Entries>>
  : never

type Present<Entries, Given, Names extends Methods> = { [Method in Names]: EndpointOf<Method, Entries, Given> } & {
  [Method in Exclude<Methods, Names>]?: never
}

type EndpointOf<Method, Entries, Given> = Entries extends Entry
  ? Method extends keyof Entries['methods']
    ? OperationOf<Entries['rule'] & string, Method, Entries['methods'][Method], Given>
    : never
  : never

type PathLevel<Path> = { query?: never; header?: never; cookie?: never } & (keyof Path extends never ? { path?: never } : { path: Path })
