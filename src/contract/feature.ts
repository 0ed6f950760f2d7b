import type * as t from 'io-ts'
import type { DefaultContext, DefaultState, ParameterizedContext } from 'koa'
import { Refusal } from '../http/failure.js'
import { type Conditions, conditionsOf } from '../http/preconditions.js'
import { type Fields, parseQuery } from '../http/query.js'
import type { Rule } from '../http/routing/rule.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import type { Settings } from '../settings.js'
import type { Attributes } from './attributes.js'
import type { Source } from './request-reader.js'

/** Koa's context, as a view sees it. */
export type Context<StateT = DefaultState, ContextT = DefaultContext> = ParameterizedContext<StateT, ContextT>

/**
 * The order in which an operation decides, and so which answer wins. It is policy, and stands here only:
 *
 * | stage     | what happens                                   | what it may answer |
 * |-----------|------------------------------------------------|--------------------|
 * | access    | who is it, may they                            | 401, 403           |
 * | required  | is there a condition where one is demanded     | 428                |
 * | arguments | read and decode, in the descriptor's order     | 415, 413, 400, 422 |
 * | load      | load the current representation, compare       | 404, 412           |
 * | method    | the view's method                              | whatever it aborts with |
 * | page      | cut the page out of the collection             |                    |
 * | encode    | result to text                                 | 500                |
 * | tag       | entity tag, conditions on the answer           | 304, 412           |
 *
 * Before all of them stand the routing's 404 and 405. Within a stage the descriptor's order stands.
 */
export const STAGES = ['access', 'required', 'arguments', 'load', 'method', 'page', 'encode', 'tag'] as const

/** One of the `STAGES`. */
export type Stage = (typeof STAGES)[number]

/** What a step does to an exchange. It returns a refusal to answer at once, nothing to go on; only promises are awaited. */
export type Step = (exchange: Exchange) => Outcome | Promise<Outcome>

/** Nothing, to go on, or the refusal that is the answer. */
// biome-ignore lint/suspicious/noConfusingVoidType: a step that only does something is the common case
export type Outcome = void | Refusal

/** One thing that a feature does in one stage of one operation, and what the document says of it. */
export interface Part {
  readonly stage: Exclude<Stage, 'method'>
  readonly step?: Step
  /** Tags and conditions hold for raw answers (streams, files, `Response`) too; other steps see values only. */
  readonly raw?: boolean
  readonly docs?: (schemas: Schemas) => Fragment
}

/** Carries a feature's types, never a value. Exported so that declarations of an application can be emitted. */
export const typing: unique symbol = Symbol('koa-smorest.typing')

/** What a feature means to the compiler. */
export interface Typing {
  /** Positional arguments that the method is given. */
  readonly arguments?: readonly unknown[]
  /** Fields of the method's last parameter. */
  readonly named?: object
  /** What the method returns. */
  readonly value?: unknown
  /** The method returns a collection that is paged: `true`, or the collection's type. */
  readonly paged?: unknown
  /** Path parameters that it needs. */
  readonly parameters?: object
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

/** One request on its way through an operation. */
export class Exchange implements Source {
  /** The method's positional arguments. */
  readonly arguments: unknown[] = []
  /** What the method returned, then what is left of it. */
  result: unknown = undefined
  /** The status of the answer; 0 while nobody has said it. */
  status = 0
  /** Makes the text of the result; the step of the stage `encode` says it. */
  writer: ((result: unknown) => string) | undefined = undefined
  /** Header fields of a success; an error or a 304 goes without them. */
  readonly headers: [name: string, value: string][] = []
  /** The method answered by Koa's own means, or with a `Response`: there is no value. */
  isRaw = false

  constructor(
    readonly ctx: Context,
    /** The method's last parameter: path parameters, converted, and what features add. */
    readonly named: Record<string, unknown>,
    /** The path parameters as they stood in the path, decoded. */
    readonly texts: Readonly<Record<string, string>>,
  ) {}

  #text: string | undefined = undefined

  /** The result as JSON text: written once, when it is first asked for, and not at all for an answer that has no body. */
  get text(): string | undefined {
    this.#text ??= this.writer?.(this.result)
    return this.#text
  }

  #conditions: Conditions | undefined = undefined

  /** The request's preconditions, read when they are first asked for. */
  get conditions(): Conditions {
    this.#conditions ??= conditionsOf(this.ctx.req.headers)
    return this.#conditions
  }

  #query: Fields | Refusal | undefined = undefined

  /** The query, read when it is first asked for; a Refusal (400) where it is not valid percent-encoded UTF-8. */
  get query(): Fields | Refusal {
    this.#query ??= parseQuery(this.ctx.querystring) ?? new Refusal(400, { errors: { query: ['Not valid percent-encoded UTF-8.'] } })
    return this.#query
  }
}
