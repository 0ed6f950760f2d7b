// Collects the wire facts of all features of an operation.
import type { Kept, TypingOf } from '../signature.js'
import type { FactsFor } from './facts.js'

/** The wire facts of each kept feature, as a union. */
export type WireOf<Features, Method, Given> = Features extends readonly unknown[]
  ? EachWire<Kept<Features>[number], Method, Given>
  : never

type EachWire<F, Method, Given> = F extends unknown
  ? TypingOf<F> extends { readonly wire: unknown }
    ? FactsFor<TypingOf<F>['wire'], Method, Given>
    : never
  : never

/**
 * The values of one property in a union of facts, each wrapped in a tuple, so that a value that is
 * a union is not distributed.
 */
export type Boxed<Each, Name extends PropertyKey> = Each extends { readonly [Key in Name]: unknown }
  ? [Each[Name]]
  : never

/** The values of one property in a union of facts, as one union. */
export type Said<Each, Name extends PropertyKey> = Each extends { readonly [Key in Name]: unknown }
  ? Each[Name]
  : never

/**
 * The intersection of the values of one property in a union of facts; `never` if no fact has it.
 */
export type Joined<Each, Name extends PropertyKey> = [Boxed<Each, Name>] extends [never]
  ? never
  : Unboxed<Boxed<Each, Name>>

/** The intersection of the types in a union of one-element tuples. */
export type Unboxed<Boxes> = (Boxes extends unknown ? (box: Boxes) => void : never) extends (
  all: infer All,
) => void
  ? All extends { readonly 0: infer Inside }
    ? Inside
    : never
  : never

/** Whether a feature leaves its operation out of the document. */
export type IsHidden<Features> = Features extends readonly unknown[]
  ? true extends HidesIn<Features[number]>
    ? true
    : false
  : false

type HidesIn<F> = F extends unknown
  ? TypingOf<F> extends { readonly wire: { readonly hidden: true } }
    ? true
    : never
  : never
