import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import { NO_CONTENT } from '../http/failure.js'
import { reads } from '../http/methods.js'
import type { Rule } from '../http/routing/rule.js'
import type { Fragment } from '../openapi/document/fragment.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import type { Settings } from '../settings.js'
import type { Exchange, Step, Written } from './exchange.js'
import type { Attributes, Location } from './request-reader.js'
import type { Stage } from './stages.js'

/**
 * A property for types, never for a value: the typing of a feature, and the known routes and
 * settings of a Blueprint or an Api. Exported so that declarations of an application can be
 * emitted.
 */
export const typing: unique symbol = Symbol('koa-smorest.typing')

/** The types of a feature. */
export interface Typing {
  /** Positional arguments that the method is given. */
  readonly arguments?: readonly unknown[]
  /** Fields of the method's last parameter. */
  readonly named?: object
  /** The value that the method returns. */
  readonly value?: unknown
  /** The method returns a collection that is paged: `true`, or the collection's type. */
  readonly paged?: unknown
  /** The method must return a value: the feature cannot process a `Response`. */
  readonly raw?: false
  /**
   * A success may have no content: the method may return `reply(undefined, status)`, and nothing at
   * all if it is the main response.
   */
  readonly empty?: true | 'main'
  /** The operation is not in the document. */
  readonly hidden?: true
  /** An occurrence of a declared problem that the method may return as a Left. */
  readonly failure?: unknown
  /**
   * Named values that the feature needs: path parameters, and what other features give. The
   * compiler checks them for classes and function views; `needs` of the feature is the same at
   * registration.
   */
  readonly needs?: object
  /**
   * The values that a client sends and receives: `WireFacts`, or a `WireFunction` of the method and
   * the settings. It is `unknown` here so that the compiler evaluates it only for operations that a
   * client uses, not for every operation of a server.
   */
  readonly wire?: unknown
}

/** The step of a feature in one stage of an operation, and its addition to the document. */
export interface Part {
  readonly stage: Exclude<Stage, 'method'>
  readonly step?: Step
  /**
   * Whether the step also runs for raw responses (streams, files, `Response`), as those of entity
   * tags do; other steps run for values only.
   */
  readonly raw?: boolean
  /**
   * Whether the step of `encode` decides how the result is written, as that of `response` does. It
   * runs before all other steps of that stage; an operation without one sends JSON.
   */
  readonly encodes?: boolean
  readonly docs?: (schemas: Schemas) => Fragment
}

/**
 * An aspect of an operation: an argument, its response, its pages, its entity tag. `on` binds it to
 * a route and returns its parts. It runs once for each operation, at registration, and makes each
 * decision once, for behaviour and document alike.
 *
 * State that belongs to one operation is created in `on`; state that operations share (a store, a
 * limiter) is created by the application and passed to the feature.
 */
export interface Feature<T extends Typing = Typing, Kind extends string = string> {
  readonly [typing]?: T
  /**
   * An operation keeps one feature of each kind: the last in the order Blueprint, view, method.
   * Earlier ones are dropped with their parts, documentation and types. A feature without a kind is
   * always kept, and so, for the compiler, is one whose kind is not a literal type.
   */
  readonly kind?: Kind
  /**
   * Returns the parts for this route. Report faults with `route.fault`, all of them, instead of
   * throwing the first.
   */
  on(route: Route): readonly Part[]
  /**
   * Whether the feature sends the items that the method returns, one by one: a stream or bytes are
   * then items, not a body that is sent unchanged. A `Response` remains one.
   */
  readonly streamsItems?: boolean
  /** The named values that the feature gives, for others that need them. */
  readonly gives?: readonly string[]
  /**
   * The named values that the feature needs: path parameters, or values that another feature
   * `gives`, at any position. A value that nobody gives is a fault at registration. The compiler
   * checks `needs` of the typing.
   */
  readonly needs?: readonly string[]
  /**
   * The codec of the value that the operation returns, for features that compare or describe it.
   */
  readonly represents?: t.Mixed
  /** The response that the feature declares beside the main one: its status, and its codec. */
  readonly other?: { readonly status: number; readonly codec: t.Mixed | undefined }
  /** The names of the declared problems that the operation may fail with. */
  readonly problem?: string | readonly string[]
  /** Whether the feature identifies the caller: it sets `exchange.principal` with an `identity`. */
  readonly identifies?: boolean
  /**
   * Whether the operation requires credentials (true) or is open to everybody (false). Undefined if
   * the feature does not decide it.
   */
  readonly secured?: boolean
  /**
   * The request header fields that the credentials of a `secured` feature are sent in: responses
   * vary by them. Default: `Authorization` and `Cookie`.
   */
  readonly credentials?: readonly string[]
  /** The request header fields that every response of the operation varies by. */
  readonly varies?: readonly string[]
  /** The suffixes of entity tags that further representations have. */
  readonly suffixes?: readonly string[]
  /**
   * The field of the response that holds the rows of a page, as the program calls it, if the
   * feature wraps them.
   */
  readonly items?: string | undefined
  /** Who may be given a kept response without asking, if the feature is about caches. */
  readonly usedBy?: 'everybody' | 'caller' | 'nobody'
  /** The fields that an argument reads, by their names on the wire. */
  readonly reads?: { readonly location: Location; readonly names: readonly string[] }
  /** How many bytes of the body it reads, if it reads the body. */
  readonly bodyLimit?: number | undefined
}

/**
 * Returns a function that tells whether the result of a status is one of the main response, which
 * is paged or streamed, or of another one whose codec is alike. 0 is a status that is not set.
 */
export function mainStatuses(
  { features }: Pick<Route, 'features'>,
  isAlike: (codec: t.Mixed) => boolean = () => false,
): (status: number) => boolean {
  const others = new Set(
    features.flatMap(({ other }) =>
      other === undefined || (other.codec && isAlike(other.codec)) ? [] : other.status,
    ),
  )
  return status => status < 300 && !NO_CONTENT.has(status) && !others.has(status)
}

/** Returns whether an operation requires credentials, or takes them if they are sent. */
export function isSecured(features: readonly Feature[]): boolean {
  return features.some(({ secured }) => secured)
}

/**
 * Returns the request header fields that every response of an operation varies by: those that its
 * features name, and of a secured read those of its credentials.
 */
export function variesBy({
  method,
  features,
}: Pick<Route, 'method' | 'features'>): readonly string[] {
  const credentials = features.flatMap(({ secured, credentials = ['Authorization', 'Cookie'] }) =>
    secured && reads(method) ? credentials : [],
  )
  return [...new Set([...credentials, ...features.flatMap(({ varies = [] }) => varies)])]
}

/**
 * Returns the features that an operation keeps, in their order: the last of each kind, and all
 * without a kind.
 */
export function lastOfEachKind(features: readonly Feature[]): readonly Feature[] {
  const last = new Map<string | undefined, Feature>()
  for (const feature of features) last.set(feature.kind, feature)
  return features.filter(
    feature => feature.kind === undefined || last.get(feature.kind) === feature,
  )
}

/** The place of a positional argument of the method, which a feature has asked for. */
export interface PositionalArgument {
  /** Gives the argument its value for one request, in any stage before the method. */
  set(exchange: Exchange, value: unknown): void
}

/** One method of one rule, as features see it at registration. */
export interface Route {
  /** Upper case: `GET`. */
  readonly method: string
  readonly rule: Rule
  /** For messages: `Pets.get (GET /pets/)`. */
  readonly place: string
  readonly settings: Settings & { readonly DEBUG: boolean; readonly TESTING: boolean }
  readonly attributes: Attributes
  /**
   * The features of the operation, in the order Blueprint, view, method; of each kind only the
   * last.
   */
  readonly features: readonly Feature[]
  /**
   * The codec of the view's GET; `current` is encoded with it unless the operation has a codec of
   * its own.
   */
  readonly represented: t.Mixed | undefined
  /** The suffixes of the entity tags of the view's GET. */
  readonly suffixes: readonly string[]
  /**
   * Asks for the next positional argument of the method: positions are those of the types, in the
   * order of the features. Throws an Error once `on()` has returned.
   */
  argument(): PositionalArgument
  /**
   * Adds a value to a field of the response to OPTIONS, such as `Accept-Patch` (RFC 5789, section
   * 3.1). The values of all methods of the path are joined, each once.
   */
  advertise(field: string, value: string): void
  /**
   * The names that features of the operation read from the query: all that are documented, once it
   * is registered. Add a name that is not documented as a parameter, such as that of an API key.
   * `created[` is any name that begins so. `unknown: 'raise'` does not refuse them.
   */
  readonly queryNames: Set<string>
  fault(text: string): void
  warn(text: string): void
  /**
   * Claims a name for a value in this Api. Returns false if another value has the name already;
   * claiming it twice for one value is fine.
   */
  claim(name: string, value: object): boolean
}

/** The features of the library that give a named value, for messages. */
const GIVEN_BY: Readonly<Record<string, string>> = {
  current: 'etag({ load })',
  principal: 'secure(…)',
  transaction: 'idempotent({ store })',
  paginationParameters: 'paginate()',
  lastEventId: 'events(…, { id })',
}

/** Returns the faults of features that need a named value which nothing gives. */
export function unmetNeeds({
  rule,
  features,
}: Pick<Route, 'rule' | 'features'>): readonly string[] {
  const given = new Set([
    'signal',
    ...rule.parameters.map(({ name }) => name),
    ...features.flatMap(({ gives = [] }) => gives),
  ])
  return features.flatMap(({ kind = 'a feature', needs = [] }) =>
    needs
      .filter(name => !given.has(name))
      .map(name => {
        const remedy = GIVEN_BY[name] ?? `a feature that gives it, or a parameter of the path`
        return `${kind} needs \`${name}\`: add ${remedy}`
      }),
  )
}

/**
 * A further representation of what an operation returns, beside JSON: `response(codec, { also:
 * [representation] })`. The Accept field of the request decides which one is sent.
 */
export interface Representation<A = unknown, Media extends string = string> {
  /** Such as `text/csv`; `text/*` types are sent with `charset=utf-8`. */
  readonly mediaType: Media
  /** The suffix of its entity tags, `"3;csv"`. Default: the subtype of the media type. */
  readonly tag?: string
  /** The schema in the document. Default `{ type: 'string' }`. */
  readonly schema?: SchemaObject
  /**
   * Writes the value as it would be sent as JSON, so that nothing undeclared leaves. Called only if
   * the client gets this representation, and not for a 304. An iterable is sent piece by piece.
   */
  readonly write: (value: A, exchange: Exchange) => Written
  /**
   * Returns the `write` of one operation. Called at registration, for representations that depend
   * on the codec; reports what cannot be represented with `route.fault`.
   */
  readonly on?: (route: Route) => Representation<A>['write']
}
