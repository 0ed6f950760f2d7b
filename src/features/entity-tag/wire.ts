// The wire facts of entity tags: conditions that a client sends, tags and refusals that it receives.
import type { SettingOf, WireFunction, WireResponse } from '../../contract/wire/facts.js'

/** The wire facts of `etag`, by method and settings. `Creates` is undefined without a loader. */
export interface EtagWire<Creates extends boolean | undefined, Requires> extends WireFunction {
  readonly facts:
    | Loads<Creates, this['method']>
    | (true extends SettingOf<this['settings'], 'ETAG_DISABLED', false>
        ? never
        :
            | Tags<this['method']>
            | Conditions<this['method'], Creates, RequiredBy<Requires, this['settings']>>)
}

type RequiredBy<Requires, Given> = unknown extends Requires
  ? SettingOf<Given, 'ETAG_REQUIRE_IF_MATCH', true>
  : Requires

/** A loader that finds nothing leads to a 404, unless the method creates what is absent. */
type Loads<Creates, Method> = [Creates] extends [undefined]
  ? never
  : [Creates, Method] extends [true, 'post' | 'put' | 'patch']
    ? never
    : { readonly errors: 404 }

/** The facts that `describeTag` documents. */
type Tags<Method> = Method extends 'get' | 'head'
  ? {
      readonly header: { 'If-None-Match'?: string }
      readonly success: Tagged
      readonly responses: WireResponse<304, Record<never, never>, Tagged, false>
    }
  : Method extends 'post' | 'put' | 'patch'
    ? { readonly success: Tagged }
    : never

/** The facts that `describeConditions` documents; a write that requires a condition is refused with 428 without one. */
type Conditions<Method, Creates, Requires> = Method extends 'put' | 'patch' | 'delete'
  ? true extends Requires
    ? { readonly header: IfMatch<Creates>; readonly errors: 412 | 428 }
    : { readonly header: IfMatch<true>; readonly errors: 412 }
  : { readonly errors: 412 }

type IfMatch<IsOptional> = IsOptional extends true
  ? { 'If-Match'?: string }
  : { 'If-Match': string }
type Tagged = { ETag?: string }
