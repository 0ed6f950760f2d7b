// What the features of an operation say together.
import type { Kept, TypingOf } from '../signature.js'
import type { FactsFor } from './facts.js'

/** What each of the features that are kept says of the wire, as a union. */
export type WireOf<Features, Method, Given> = Features extends readonly unknown[] ? EachWire<Kept<Features>[number], Method, Given> : never

type EachWire<F, Method, Given> = F extends unknown
  ? TypingOf<F> extends { readonly wire: unknown }
    ? FactsFor<TypingOf<F>['wire'], Method, Given>
    : never
  : never

/** What a union of facts says under a name, each in a box, so that a fact that is a union stays one. */
export type Boxed<Each, Name extends PropertyKey> = Each extends { readonly [Key in Name]: unknown } ? [Each[Name]] : never

/** What a union of facts says under a name, as one union. */
export type Said<Each, Name extends PropertyKey> = Each extends { readonly [Key in Name]: unknown } ? Each[Name] : never

/** All that a union of facts says under a name in one object; `never` where nothing is said. */
export type Joined<Each, Name extends PropertyKey> = [Boxed<Each, Name>] extends [never] ? never : Unboxed<Boxed<Each, Name>>

/** The intersection of what is in boxes. */
export type Unboxed<Boxes> = (Boxes extends unknown ? (box: Boxes) => void : never) extends (all: infer All) => void
  ? All extends { readonly 0: infer Inside }
    ? Inside
    : never
  : never

/** Whether a feature leaves its operation out of the document. */
export type IsHidden<Features> = Features extends readonly unknown[] ? (true extends HidesIn<Features[number]> ? true : false) : false

type HidesIn<F> = F extends unknown ? (TypingOf<F> extends { readonly wire: { readonly hidden: true } } ? true : never) : never
