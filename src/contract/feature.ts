import type * as t from 'io-ts'
import type { Rule } from '../http/routing/rule.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import type { Settings } from '../settings.js'
import type { Attributes } from './attributes.js'
import type { Stage, Step } from './stages.js'
import type { Typing, typing } from './typing.js'

/** One thing that a feature does in one stage of one operation, and what the document says of it. */
export interface Part {
  readonly stage: Exclude<Stage, 'method'>
  readonly step?: Step
  /** Tags and conditions hold for raw answers (streams, files, `Response`) too; other steps see values only. */
  readonly raw?: boolean
  readonly docs?: (schemas: Schemas) => Fragment
}

/**
 * An aspect of an operation: an argument, its response, its pages, its entity tag. Bound to a route it is parts; `on`
 * runs once, at registration, and makes each decision once, for behaviour and document alike.
 */
export interface Feature<T extends Typing = Typing> {
  readonly [typing]?: T
  /** The parts on this route. Faults are reported with `route.fault`, all of them, and not thrown. */
  on(route: Route): readonly Part[]
  /** The codec of what the operation answers, for features that compare or describe it. */
  readonly represents?: t.Mixed
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
  /** All features of the operation, in the descriptor's order: Blueprint, view, method. */
  readonly features: readonly Feature[]
  /** The codec of the view's GET, what `current` is encoded with where nothing else says it. */
  readonly represented: t.Mixed | undefined
  fault(text: string): void
  warn(text: string): void
}
