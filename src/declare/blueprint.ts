import type { DefaultContext, DefaultState, Middleware, ParameterizedContext } from 'koa'
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
import type { ParameterObject } from 'openapi3-ts/oas32'
import type { Feature, typing } from '../feature-api/feature.js'
import { type Attributes, DEFAULT_UNKNOWN, READERS } from '../feature-api/request-reader.js'
import type { Method, Satisfied } from '../feature-api/signature.js'
import type { Routed, RoutesOf, Under } from '../feature-api/wire/paths.js'
import type { Template } from '../feature-api/wire/template.js'
import type { ParametersOf } from '../http/routing/rule.js'
import { shown } from '../names.js'
import type { View } from '../respond/run-operation.js'
import { checkBlueprint, checkFunctionView, checkRule } from './check-calls.js'
import {
  type Checked,
  type Operation,
  type SharedOf,
  VERBS,
  type Verb,
  type ViewClass,
} from './operation.js'

/** Options of a Blueprint; those of `registerBlueprint` override them. */
export interface BlueprintOptions<
  Prefix extends string = string,
  Shared extends readonly Feature[] = readonly Feature[],
> {
  /** The prefix of all its paths: `/pets`. In a nested Blueprint it may contain parameters. */
  readonly urlPrefix?: Prefix
  /** The description of its tag in the document. */
  readonly description?: string
  /** Features of every method of every view; they come before the views' own. */
  readonly shared?: Operation<Shared>
}

/**
 * Options that `registerBlueprint` may override. A prefix that is given only there may contain
 * parameters: the methods receive them, but their types do not include them.
 */
export interface RegistrationOptions<Prefix extends string = string>
  extends Pick<BlueprintOptions<Prefix>, 'urlPrefix' | 'description'> {
  /** The name of its tag in the document. */
  readonly name?: string
  /**
   * Documentation of parameters of all its paths, such as those in `urlPrefix`; that of a route
   * overrides it.
   */
  readonly parameters?: readonly ParameterObject[]
}

/** Options of a route. */
export interface RouteOptions {
  /**
   * The first part of the operationId in the document. Default: the name of the class or function.
   */
  readonly endpoint?: string
  /**
   * Documentation of the path parameters, which all its operations share. It overrides that of the
   * features.
   */
  readonly parameters?: readonly ParameterObject[]
  /** Tags of its operations in the document. Default: the Blueprint's name. */
  readonly tags?: readonly string[]
}

/** Options of a view class whose constructor takes nothing. */
export interface ViewOptions<Instance, Ctx> extends RouteOptions {
  /**
   * Creates the view for a request, if its constructor takes arguments: `ctx => new
   * Pets(database)`.
   */
  readonly create?: (ctx: Ctx) => Instance
}
// for what is not a class of views, the compiler asks with the bound of the type parameter
type OptionsOf<View extends ViewClass, Ctx> = ViewClass extends View
  ? [options?: RouteOptions]
  : View extends new () => object
    ? [options?: ViewOptions<InstanceType<View>, Ctx>]
    : [
        optionsWithCreate: ViewOptions<InstanceType<View>, Ctx> & {
          readonly create: (ctx: Ctx) => InstanceType<View>
        },
      ]

/** Options of a function view under several methods. */
export interface FunctionOptions<Methods extends readonly string[] = readonly string[]>
  extends RouteOptions {
  /** The HTTP methods that the function serves. Default: GET. */
  readonly methods?: Methods
}

type ParametersIn<Prefix extends string> = string extends Prefix ? unknown : ParametersOf<Prefix>
type Named<Prefix extends string, Rule extends string> = ParametersIn<Prefix> & ParametersOf<Rule>

/** Declares a function view under one method. */
type Declares<
  Self,
  Verb extends string,
  StateT,
  ContextT,
  Prefix extends string,
  Shared extends readonly Feature[],
> = <const Rule extends string, const Features extends readonly Feature[]>(
  rule: Rule,
  operation: Operation<Features>,
  view: Method<
    [...Shared, ...Features],
    Named<Prefix, Rule>,
    ParameterizedContext<StateT, ContextT>
  > &
    NoInfer<Satisfied<[...Shared, ...Features], Named<Prefix, Rule>>>,
  options?: RouteOptions,
) => Self &
  Routed<{
    routes: { [P in Template<Rule>]: { [R in Rule]: { [V in Verb]: [...Shared, ...Features] } } }
  }>

/** One rule of a Blueprint and the view for it, as declared. */
export interface Declaration {
  readonly rule: string
  readonly options: RouteOptions & { readonly create?: (ctx: never) => object }
  readonly view:
    | ViewClass
    | { readonly operation: Operation; readonly call: View; readonly methods: readonly string[] }
}

interface Nested {
  readonly blueprint: AnyBlueprint
  readonly options: RegistrationOptions
}

/** Any Blueprint, whatever its types. */
export interface AnyBlueprint {
  readonly name: string
  readonly options: BlueprintOptions
  readonly declarations: readonly (Declaration | Nested)[]
  /** Koa middleware, for contexts of the Blueprint's own types. */
  readonly middleware: readonly unknown[]
  prepareResponseContent?(data: unknown): unknown
  prepareResponseSchema?(schema: SchemaObject | ReferenceObject): SchemaObject | ReferenceObject
}

/**
 * A collection of views under one prefix and one tag of the document. Class attributes are settings
 * of all its views; a subclass overrides them (specification, sections 4.2 to 4.8).
 */
export class Blueprint<
  StateT = DefaultState,
  ContextT = DefaultContext,
  const Prefix extends string = AnyPrefix,
  const Shared extends readonly Feature[] = readonly [],
  Name = AnyName,
> {
  declare readonly [typing]: { readonly prefix: KnownPrefix<Prefix, Name> }

  /** The order of methods in the document. */
  static HTTP_METHODS: readonly string[] = VERBS.map(verb => verb.toUpperCase())
  /** How each location of arguments is read. */
  static ARGUMENTS_PARSER: Attributes['ARGUMENTS_PARSER'] = READERS
  /** The media types of request bodies. */
  static DEFAULT_LOCATION_CONTENT_TYPE_MAPPING: Attributes['DEFAULT_LOCATION_CONTENT_TYPE_MAPPING'] =
    {
      json: 'application/json',
      form: 'application/x-www-form-urlencoded',
      files: 'multipart/form-data',
    }
  /** The treatment of fields that a codec does not declare, by location. */
  static DEFAULT_UNKNOWN: Attributes['DEFAULT_UNKNOWN'] = DEFAULT_UNKNOWN
  /** Page, page size and the largest page size of paginated lists. */
  static DEFAULT_PAGINATION_PARAMETERS: Attributes['DEFAULT_PAGINATION_PARAMETERS'] = {
    page: 1,
    pageSize: 10,
    maxPageSize: 100,
  }
  /** The name of the pagination header; `null`: none is sent. */
  static PAGINATION_HEADER_FIELD_NAME: string | null = 'X-Pagination'
  /**
   * Whether numbered pages carry a `Link` header field with `first`, `prev`, `next` and `last` (RFC
   * 8288). Keysets always do.
   */
  static PAGINATION_LINKS = false
  /**
   * Header fields that count in an entity tag that is computed from the response; `null`: the
   * pagination header and `Link`.
   */
  static ETAG_INCLUDE_HEADERS: readonly string[] | null = null
  /** The line from which on a docstring is not documented; `null` documents all of it. */
  static DOCSTRING_INFO_DELIMITER: string | null = '---'

  /** The declarations in order: rules and nested Blueprints. */
  readonly declarations: (Declaration | Nested)[] = []
  /** Koa middleware around its operations. */
  readonly middleware: Middleware<StateT, ContextT>[] = []

  readonly name: string

  // Name is inferred wherever a constructor is called, and only there
  constructor(
    name: string & Name,
    readonly options: BlueprintOptions<Prefix, Shared> = {},
  ) {
    if (typeof name !== 'string' || name === '')
      throw new TypeError(`new Blueprint('pets', …) takes a name, not ${String(name)}`)
    this.name = name
  }

  /**
   * Adds a view under a rule: a class of methods, `route('/:petId<uuid>', PetById)`, each checked
   * by the compiler against its descriptor and the parameters of the rule; or a function with its
   * descriptor, `route('/echo', operation(…), view, { methods: ['POST', 'PUT'] })`.
   */
  route<const Rule extends string, V extends ViewClass>(
    rule: Rule,
    // NoInfer: otherwise the compiler works out the check for every class that there could be
    view: V &
      NoInfer<Checked<V, Shared, Named<Prefix, Rule>, ParameterizedContext<StateT, ContextT>>>,
    ...options: OptionsOf<V, ParameterizedContext<StateT, ContextT>>
  ): this &
    Routed<{
      routes: { [P in Template<Rule>]: { [R in Rule]: MethodsOf<V, InstanceType<V>, Shared> } }
    }>
  route<
    const Rule extends string,
    const Features extends readonly Feature[],
    const Methods extends readonly string[] = ['GET'],
  >(
    rule: Rule,
    operation: Operation<Features>,
    view: Method<
      [...Shared, ...Features],
      Named<Prefix, Rule>,
      ParameterizedContext<StateT, ContextT>
    > &
      NoInfer<Satisfied<[...Shared, ...Features], Named<Prefix, Rule>>>,
    options?: FunctionOptions<Methods>,
  ): this &
    Routed<{
      routes: {
        [P in Template<Rule>]: { [R in Rule]: MethodsNamed<Methods, [...Shared, ...Features]> }
      }
    }>
  route(
    rule: string,
    first: ViewClass | Operation,
    second?: unknown,
    third: FunctionOptions = {},
  ): never {
    if (typeof first === 'function') {
      checkRule('route', rule)
      this.declarations.push({ rule, view: first, options: (second ?? {}) as RouteOptions })
      return this as never
    }
    const { methods = ['GET'], ...options } = third
    return this.#declareFunction(
      'route',
      rule,
      { operation: first, call: second as View, methods },
      options,
    ) as never
  }

  /**
   * Adds a function view under GET: `pets.get('/ping', operation(response(Pong)), ctx => ({ pong:
   * true }))`; its parameters are inferred.
   */
  readonly get: Declares<this, 'get', StateT, ContextT, Prefix, Shared> = this.#under('GET')
  /** Adds a function view under POST. */
  readonly post: Declares<this, 'post', StateT, ContextT, Prefix, Shared> = this.#under('POST')
  /** Adds a function view under PUT. */
  readonly put: Declares<this, 'put', StateT, ContextT, Prefix, Shared> = this.#under('PUT')
  /** Adds a function view under PATCH. */
  readonly patch: Declares<this, 'patch', StateT, ContextT, Prefix, Shared> = this.#under('PATCH')
  /** Adds a function view under DELETE. */
  readonly delete: Declares<this, 'delete', StateT, ContextT, Prefix, Shared> =
    this.#under('DELETE')
  /**
   * Adds a function view under QUERY: a search whose query is the body, safe and repeatable like
   * GET (RFC 10008).
   */
  readonly query: Declares<this, 'query', StateT, ContextT, Prefix, Shared> = this.#under('QUERY')

  #under(method: string) {
    return (rule: string, operation: Operation, view: unknown, options?: RouteOptions): never =>
      this.#declareFunction(
        method.toLowerCase(),
        rule,
        { operation, call: view as View, methods: [method] },
        options,
      ) as never
  }

  #declareFunction(
    verb: string,
    rule: string,
    view: Exclude<Declaration['view'], ViewClass>,
    options: RouteOptions = {},
  ): this {
    checkRule(verb, rule)
    checkFunctionView(verb, rule, view)
    this.declarations.push({ rule, view, options })
    return this
  }

  /** Adds Koa middleware around all its operations, those of nested Blueprints included. */
  use(...middleware: Middleware<StateT, ContextT>[]): this {
    for (const one of middleware)
      if (typeof one !== 'function')
        throw new TypeError(`use() takes middleware, not ${shown(one)}`)
    this.middleware.push(...middleware)
    return this
  }

  /**
   * Creates a nested Blueprint. Its prefix is appended to this one's, and its views receive the
   * parameters of both. It inherits features, middleware and class attributes.
   */
  blueprint<
    const ChildPrefix extends string = '',
    const ChildShared extends readonly Feature[] = readonly [],
  >(
    name: string,
    options: BlueprintOptions<ChildPrefix, ChildShared> = {},
  ): Blueprint<
    StateT,
    ContextT,
    `${string extends Prefix ? '' : Prefix}${ChildPrefix}`,
    [...Shared, ...ChildShared]
  > {
    const child = new (this.constructor as typeof Blueprint)<
      StateT,
      ContextT,
      string,
      readonly Feature[]
    >(name, options)
    this.declarations.push({ blueprint: child, options: {} })
    return child as never
  }

  /**
   * Nests a Blueprint from another module. Its prefix is appended to this one's; it inherits
   * features and middleware, but keeps its own class attributes, and the types of its views do not
   * know this one's parameters. A Blueprint may be nested in several others, or in one under
   * several prefixes.
   */
  registerBlueprint<B extends AnyBlueprint, const ChildPrefix extends string = PrefixOf<B>>(
    blueprint: B,
    options: RegistrationOptions<ChildPrefix> = {},
  ): this & Routed<{ routes: Under<ChildPrefix, Shared, RoutesOf<B>, WrappingOf<B>> }> {
    checkBlueprint(blueprint)
    this.declarations.push({ blueprint, options })
    return this as never
  }

  /**
   * Override it to wrap response data: `data => ({ data })`. Entity tags are computed from the data
   * before it is wrapped.
   */
  prepareResponseContent?(data: unknown): unknown

  /**
   * Override it together with `prepareResponseContent`: returns the schema of the wrapped data,
   * given the schema of the data.
   */
  prepareResponseSchema?(schema: SchemaObject | ReferenceObject): SchemaObject | ReferenceObject
}

/** The class attributes of a Blueprint, as its operations see them. */
export function attributesOf(blueprint: AnyBlueprint): Attributes {
  const attributes = blueprint.constructor as typeof Blueprint
  return {
    HTTP_METHODS: attributes.HTTP_METHODS,
    ARGUMENTS_PARSER: attributes.ARGUMENTS_PARSER,
    DEFAULT_LOCATION_CONTENT_TYPE_MAPPING: attributes.DEFAULT_LOCATION_CONTENT_TYPE_MAPPING,
    DEFAULT_UNKNOWN: attributes.DEFAULT_UNKNOWN,
    DEFAULT_PAGINATION_PARAMETERS: attributes.DEFAULT_PAGINATION_PARAMETERS,
    PAGINATION_HEADER_FIELD_NAME: attributes.PAGINATION_HEADER_FIELD_NAME,
    PAGINATION_LINKS: attributes.PAGINATION_LINKS,
    ETAG_INCLUDE_HEADERS:
      attributes.ETAG_INCLUDE_HEADERS ??
      [attributes.PAGINATION_HEADER_FIELD_NAME ?? [], 'Link'].flat(),
    DOCSTRING_INFO_DELIMITER: attributes.DOCSTRING_INFO_DELIMITER,
    prepareResponseContent: blueprint.prepareResponseContent?.bind(blueprint),
    prepareResponseSchema: blueprint.prepareResponseSchema?.bind(blueprint),
  }
}

// The routes of a Blueprint, for the compiler: its prefix, and the features of the methods of its
// views. `Blueprint` uses it.

/**
 * The prefix of a Blueprint whose type does not have it: of a subclass that does not pass `Prefix`
 * on, or one with `<State>` alone.
 */
export type AnyPrefix = string & { readonly [typing]?: 'prefix' }

/**
 * Stands for the name of a Blueprint whose type was written, and not inferred from a call of the
 * constructor.
 */
export type AnyName = string & { readonly [typing]?: 'name' }

/**
 * The prefix of a Blueprint, or `string` if the compiler does not know it. A constructor that is
 * called with a name and without a prefix leaves it empty; a type written without one leaves it
 * unknown.
 */
export type KnownPrefix<Prefix extends string, Name> =
  IsUnsaid<Prefix> extends true ? (IsUnsaid<Name> extends true ? string : '') : Prefix

type IsUnsaid<Text> = typeof typing extends keyof Text ? true : false

/** The prefix that a Blueprint has by itself. */
export type PrefixOf<B> = B extends {
  readonly [typing]: { readonly prefix: infer Prefix extends string }
}
  ? Prefix
  : string

// The conditions below always hold. A type that is made by one has no name, so declarations spell
// it out, without the class of views, whose private members could not be named there (TS4094).

/** The features of each method of a class of views, after those that it shares with others. */
type MethodsOf<View, Instance, Shared extends readonly unknown[]> = View extends unknown
  ? {
      [V in Verb & keyof View & keyof Instance]: View[V] extends Operation<infer Own>
        ? [...Shared, ...SharedOf<View>, ...Own]
        : never
    }
  : never

/** The same features for several methods, which are named in upper case. */
type MethodsNamed<Names extends readonly string[], Features> = Names extends unknown
  ? { [Name in Names[number] as Lowercase<Name>]: Features }
  : never

/** Marks JSON responses as wrapped, if a Blueprint overrides `prepareResponseContent`. */
export type WrappingOf<B> = B extends { prepareResponseContent(data: unknown): infer Wrapped }
  ? [{ readonly [typing]?: { wire: { wrapped: Wrapped } } }]
  : []
