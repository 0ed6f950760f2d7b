// The webhooks of chained Apis, for the compiler: the codec of each by its name.
import type * as t from 'io-ts'
import type { WireOutputOf } from '../../codec/types/types.js'
import type { typing } from '../feature.js'

/** A type that knows its webhooks: by name, the codec of the payload. */
export type Announced<Known extends { readonly webhooks: unknown }> = { readonly [typing]: Known }

/**
 * The payloads of the webhooks of a chained Api, by name, in their wire form:
 * `WebhooksOf<typeof api>['job.changed']`. Webhooks that were registered by statements of their own
 * are not in it.
 */
export type WebhooksOf<Api> = Api extends {
  readonly [typing]: { readonly webhooks: infer Known }
}
  ? { [Name in keyof Known]: PayloadOf<Known[Name]> }
  : Record<never, never>

type PayloadOf<C> = C extends t.Mixed ? WireOutputOf<C> : never
