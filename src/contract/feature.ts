import type * as t from 'io-ts'
import type { Rule } from '../http/routing/rule.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import type { Settings } from '../settings.js'
import type { Attributes } from './attributes.js'
import type { Stage } from './stages.js'
import type { Step } from './step.js'
import type { Typing, typing } from './typing.js'

/** What a feature does in one stage of an operation, and what it adds to the document. */
export interface Part {
  readonly stage: Exclude<Stage, 'method'>
  readonly step?: Step
  /**
   * Whether the step also runs for raw responses (streams, files, `Response`), as those of entity tags do; other steps run for values only.
   */
  readonly raw?: boolean
  readonly docs?: (schemas: Schemas) => Fragment
}

/**
 * An aspect of an operation: an argument, its response, its pages, its entity tag. `on` binds it to a route and returns its parts. It runs
 * once for each operation, at registration, and makes each decision once, for behaviour and document alike.
 *
 * State that belongs to one operation is created in `on`; state that operations share (a store, a limiter) is created by the application
 * and passed to the feature.
 */
export interface Feature<T extends Typing = Typing, Kind extends string = string> {
  readonly [typing]?: T
  /**
   * An operation keeps one feature of each kind: the last in the order Blueprint, view, method. Earlier ones are dropped with their parts,
   * documentation and types. A feature without a kind is always kept, and so, for the compiler, is one whose kind is not a literal type.
   */
  readonly kind?: Kind
  /** Returns the parts for this route. Report faults with `route.fault`, all of them, instead of throwing the first. */
  on(route: Route): readonly Part[]
  /** The codec of the value that the operation returns, for features that compare or describe it. */
  readonly represents?: t.Mixed
  /** The names of the declared problems that the operation may fail with. */
  readonly problem?: string | readonly string[]
  /** Whether the feature identifies the caller: it sets `exchange.principal` with an `identity`. */
  readonly identifies?: boolean
  /** Whether the operation requires credentials (true) or is open to everybody (false). Undefined if the feature does not decide it. */
  readonly secured?: boolean
}

/** Returns the features that an operation keeps, in their order: the last of each kind, and all without a kind. */
export function lastOfEachKind(features: readonly Feature[]): readonly Feature[] {
  const last = new Map<string | undefined, Feature>()
  for (const feature of features) last.set(feature.kind, feature)
  return features.filter(
    feature => feature.kind === undefined || last.get(feature.kind) === feature,
  )
}

/** One method of one rule, as features see it at registration. */
export interface Route {
  /** Upper case: `GET`. */
  readonly method: string
  readonly rule: Rule
  /** For messages: `Pets.get`, `GET /pets/`. */
  readonly place: string
  readonly settings: Settings & { readonly DEBUG: boolean; readonly TESTING: boolean }
  readonly attributes: Attributes
  /** The features of the operation, in the order Blueprint, view, method; of each kind only the last. */
  readonly features: readonly Feature[]
  /** The codec of the view's GET; `current` is encoded with it unless the operation has a codec of its own. */
  readonly represented: t.Mixed | undefined
  fault(text: string): void
  warn(text: string): void
  /**
   * Claims a name for a value in this Api. Returns false if another value has the name already; claiming it twice for one value is fine.
   */
  claim(name: string, value: object): boolean
}
