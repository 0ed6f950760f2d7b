import type * as t from 'io-ts'
import type { Rule } from '../http/routing/rule.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import type { Settings } from '../settings.js'
import type { Attributes } from './attributes.js'
import type { Stage } from './stages.js'
import type { Step } from './step.js'
import type { Typing, typing } from './typing.js'

/** One thing that a feature does in one stage of one operation, and what the document says of it. */
export interface Part {
  readonly stage: Exclude<Stage, 'method'>
  readonly step?: Step
  /** Tags and conditions hold for raw responses (streams, files, `Response`) too; other steps see values only. */
  readonly raw?: boolean
  readonly docs?: (schemas: Schemas) => Fragment
}

/**
 * An aspect of an operation: an argument, its response, its pages, its entity tag. Bound to a route it is parts; `on`
 * runs once for each operation, at registration, and makes each decision once, for behaviour and document alike.
 *
 * State that belongs to one operation is created in `on`; state that operations share (a store, a limiter) is created by
 * the application and passed to the feature.
 */
export interface Feature<T extends Typing = Typing, Kind extends string = string> {
  readonly [typing]?: T
  /**
   * An operation keeps one feature of each kind: the last in the order Blueprint, view, method. The earlier one goes whole,
   * with its parts, its documentation and its types. Without a kind every feature counts; so it does, for the compiler,
   * where the kind is not a literal.
   */
  readonly kind?: Kind
  /** The parts on this route. Report faults with `route.fault`, all of them, rather than throwing the first. */
  on(route: Route): readonly Part[]
  /** The codec of what the operation returns, for features that compare or describe it. */
  readonly represents?: t.Mixed
  /** The names of declared problems that the operation may fail with. */
  readonly problem?: string | readonly string[]
  /** Says who is calling, and names them: it sets `exchange.principal` with an `identity`. */
  readonly identifies?: boolean
  /** Who may call the operation: those with credentials (true), anybody (false). Without it, the operation does not say. */
  readonly secured?: boolean
}

/** The features that an operation keeps: of each kind the last, and all that have none, in their order. */
export function lastOfEachKind(features: readonly Feature[]): readonly Feature[] {
  const last = new Map<string | undefined, Feature>()
  for (const feature of features) last.set(feature.kind, feature)
  return features.filter(feature => feature.kind === undefined || last.get(feature.kind) === feature)
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
  /** The codec of the view's GET, what `current` is encoded with where nothing else says it. */
  readonly represented: t.Mixed | undefined
  fault(text: string): void
  warn(text: string): void
  /** Claims a name for a value in this Api: false where it is another value's already. Two claims of one value are fine. */
  claim(name: string, value: object): boolean
}
