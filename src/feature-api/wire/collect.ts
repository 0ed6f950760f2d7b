// Collects the wire facts of all features of an operation.
import type { FactNames, Kept, TypingOf } from '../signature.js'
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

/** The values of one property in a union of facts, as one union. */
export type Said<Each, Name extends PropertyKey> = Each extends { readonly [Key in Name]: unknown }
  ? Each[Name]
  : never

/**
 * The intersection of the values of one property in a union of facts; `unknown` if no fact has it.
 */
export type Joined<Each, Name extends PropertyKey> = Unboxed<
  Each extends { readonly [Key in Name]: unknown } ? (value: Each[Name]) => void : never
>
type Unboxed<Boxes> = [Boxes] extends [(value: infer All) => void] ? All : never

/** Whether a feature leaves its operation out of the document. */
export type IsHidden<Features> = Features extends readonly unknown[]
  ? 'hidden' extends FactNames<Features>
    ? true
    : false
  : false
