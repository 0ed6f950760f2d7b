import Router from '@koa/router'
import type * as t from 'io-ts'
import type Koa from 'koa'
import type { Next } from 'koa'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type {
  AnyBlueprint,
  PrefixOf,
  RegistrationOptions,
  WrappingOf,
} from '../declare/blueprint.js'
import {
  checkBlueprint,
  checkConverter,
  checkField,
  checkSpecOptions,
} from '../declare/check-calls.js'
import { type Context, type Exchange, Named } from '../feature-api/exchange.js'
import type { typing } from '../feature-api/feature.js'
import { OpenStreams } from '../feature-api/open-streams.js'
import type { Routed, RoutesOf, Under } from '../feature-api/wire/paths.js'
import type { Announced } from '../feature-api/wire/webhooks.js'
import { DeclaredWebhook, type Webhook } from '../features/webhook/webhook.js'
import { type ErrorForms, errorForms } from '../http/errors/error-forms.js'
import type { Failure, Refusal } from '../http/failure.js'
import {
  builtInConverters,
  type Converter,
  type ConverterFactory,
} from '../http/routing/converter.js'
import { Matcher } from '../http/routing/matcher.js'
import { parseRule, type Rule, ruleToPath } from '../http/routing/rule.js'
import { shown, suggestion } from '../names.js'
import { Spec, type SpecOptions } from '../openapi/openapi-document.js'
import { join, writeFailure, writeFailureDirectly } from '../respond/error-boundary.js'
import { type AdvertisedFields, noteMatch, noteMiss } from '../respond/request-routing.js'
import type { IsAlone } from '../respond/response.js'
import { checkSettings, type Settings, unknownSettings } from '../settings.js'
import { Claims } from './claims.js'
import { documentationRoutes } from './documentation-routes.js'
import { addWebhook, type Endpoint, register } from './registration.js'

/**
 * An API on a Koa application: mounts Blueprints, responds to every error in one format, and serves
 * the document.
 *
 * `new Api(app, settings, specOptions)` adds two middlewares to the app: an error boundary before
 * all others, which responds to thrown errors and to requests that nothing responds to, and the
 * operations of its Blueprints, at the position of the call. Several Apis can share one app.
 */
export class Api<const Given extends Settings = Settings> {
  declare readonly [typing]: { readonly settings: Given }
  readonly app: Koa
  readonly settings: Settings & { readonly DEBUG: boolean; readonly TESTING: boolean }
  /** The document: `api.spec.toJSON()`, and `api.spec.components` for components of your own. */
  readonly spec: Spec
  /** The routes, for other tools to read (`router.url`); matching does not use it. */
  readonly router = new Router()
  readonly #dispatcher: Koa.Middleware
  readonly #errors: ErrorForms
  readonly #matcher = new Matcher<Mounted>()
  readonly #matchOf: ReturnType<typeof join<Mounted>>
  readonly #converters = new Map(builtInConverters)
  readonly #claims: Claims
  readonly #streams = new OpenStreams()
  /** The rules by the names of their views. */
  readonly #rules = new Map<string, Rule>()
  #isRegistered = false
  readonly #fields = new Map<t.Mixed, SchemaObject | t.Mixed>()

  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: middleware of any state and context fits no other type
    app: Koa<any, any>,
    settings: Given & Misspelt<Given> = {} as never,
    specOptions: SpecOptions = {},
  ) {
    if (typeof (app as Koa | undefined)?.callback !== 'function')
      throw new TypeError('new Api(app, settings) takes a Koa application first')
    checkSettings(settings)
    checkSpecOptions(specOptions)
    this.app = app
    this.settings = { DEBUG: app.env === 'development', TESTING: app.env === 'test', ...settings }
    this.#errors = errorForms(settings.API_ERRORS, settings.API_PROBLEM_BASE)
    this.spec = new Spec(
      this.settings,
      specOptions,
      this.#errors.all,
      codec => this.#schemaOfField(codec),
      text => this.warn(text),
    )
    // the name is what tools that trace middleware show
    this.#dispatcher = Object.defineProperty(this.#dispatch as Koa.Middleware, 'name', {
      value: 'koa-smorest',
    })
    const { routes, warnings } = documentationRoutes(this.settings, this.spec)
    this.#claims = new Claims(app, settings)
    for (const { path, content, handle } of routes) {
      const rule = parseRule(path)
      const place = `the documentation (GET ${path})`
      const taken = this.#claims.path('GET', rule, place, content)
      if (taken)
        throw new TypeError(
          `new Api(app, settings): GET ${path} is already registered by ${taken}. Set another OPENAPI_URL_PREFIX`,
        )
      this.#mount({ rule, method: 'GET', name: path, handle })
    }
    // last: an error above leaves the app unchanged
    this.#matchOf = join(app, this, this.#matcher, this.#dispatcher)
    for (const warning of [...unknownSettings(settings), ...warnings]) this.warn(warning)
  }

  /**
   * Mounts a Blueprint; the options override its own. Throws a RegistrationError that lists all
   * faults.
   */
  registerBlueprint<B extends AnyBlueprint, const Prefix extends string = PrefixOf<B>>(
    blueprint: B,
    options: RegistrationOptions<Prefix> = {},
  ): this & Routed<{ routes: Under<Prefix, [], RoutesOf<B>, WrappingOf<B>> }> {
    checkBlueprint(blueprint)
    const { endpoints, tags } = register(blueprint, options, {
      settings: this.settings,
      converters: this.#converters,
      claims: this.#claims,
      spec: this.spec,
      warn: text => this.warn(text),
      streams: this.#streams,
      refuse: this.#refuse,
    })
    for (const endpoint of endpoints) this.#mount(endpoint)
    this.#isRegistered = true
    this.spec.add(
      endpoints.map(endpoint => endpoint.description),
      tags,
    )
    return this as never
  }

  /**
   * Documents a webhook: the application sends it with its method `send`. Throws a
   * RegistrationError if another one has its name, or its codec cannot be documented, and a
   * TypeError for anything but the result of `webhook`.
   */
  registerWebhook<const Name extends string, C extends t.Mixed>(
    webhook: Webhook<Name, C>,
  ): this & Announced<{ webhooks: { readonly [K in Name]: C } }> {
    if (!(webhook instanceof DeclaredWebhook))
      throw new TypeError(`registerWebhook() takes the result of webhook(…), not ${shown(webhook)}`)
    addWebhook(this.spec, webhook)
    this.#isRegistered = true
    return this as never
  }

  /**
   * Registers a converter for path rules:
   * `registerConverter('hex', { parse: text => …, schema: { type: 'string' } })`, or a function
   * that makes one from the options in the rule. Call it before the Blueprint is registered;
   * augment the interface `Converters` to give it a type. Throws TypeError for a name that no rule
   * can contain, and for anything but a converter.
   */
  registerConverter(name: string, converter: Converter | ConverterFactory): this {
    checkConverter(name, converter)
    this.#converters.set(name, typeof converter === 'function' ? converter : () => converter)
    return this
  }

  /**
   * Sets how a codec is documented: by type and format, or like another codec. Call it before any
   * Blueprint is registered; afterwards it throws, since the codec may have been documented
   * already.
   */
  registerField(codec: t.Mixed, type: SchemaType, format?: string | null): this
  registerField(codec: t.Mixed, like: t.Mixed): this
  registerField(codec: t.Mixed, type: SchemaType | t.Mixed, format: string | null = null): this {
    checkField(codec, type, format)
    if (this.#isRegistered)
      throw new Error(
        `registerField(${codec.name}, …) comes after registerBlueprint(): register fields before any Blueprint`,
      )
    this.#fields.set(
      codec,
      typeof type === 'string' ? { type, ...(format !== null && { format }) } : type,
    )
    return this
  }

  /**
   * Returns the path of a view, percent-encoded: `api.url('PetById', { petId: 7 })` is `/pets/7`.
   * The name is the `endpoint` of the route, by default the name of the class or function, prefixed
   * with that of its Blueprint (`pets_PetById`) if another rule has the name. Values are written by
   * their converters. Throws a RangeError for an unknown name, or a value that the rule would not
   * match. If the app is mounted in another, prepend the path of the mount.
   */
  url(name: string, parameters: { readonly [name: string]: unknown } = {}): string {
    const rule = this.#rules.get(name)
    if (!rule)
      throw new RangeError(
        `There is no view ${shown(name)}${suggestion(String(name), [...this.#rules.keys()])}`,
      )
    return ruleToPath(rule, parameters)
  }

  /**
   * Ends the streams of this Api, so that its server can close: their signals abort. Events end as
   * complete responses; `lines` and other streams that are not done are broken off. Streams that
   * are requested afterwards are refused with 503. Ordinary requests go on, and finish.
   */
  stop(): void {
    this.#streams.stop()
  }

  /**
   * Responds with an error. All errors pass through it, whether a request was refused or something
   * was thrown. Override it to log, or to change the response: `failure.cause` is the uncaught
   * error (specification, section 7).
   */
  handleHttpException(failure: Failure, ctx: Context): void {
    writeFailure(ctx, failure, this.#errors)
  }

  /**
   * Receives warnings for the developer. Override it to send them elsewhere than to `console.warn`.
   */
  warn(text: string): void {
    console.warn(text)
  }

  readonly #refuse = (exchange: Exchange, refusal: Refusal, isAlone: IsAlone): void => {
    const { ctx } = exchange
    // an override may change the response afterwards
    const isOwn = this.handleHttpException === ownHandler
    if (!isOwn || !isAlone(ctx) || !writeFailureDirectly(exchange, refusal, this.#errors))
      this.handleHttpException({ ...refusal }, ctx)
  }

  #mount(endpoint: Mounted): void {
    const { rule, method, name } = endpoint
    this.#matcher.add(rule, method, endpoint)
    if (!this.#rules.has(name)) this.#rules.set(name, rule)
    this.router.register(rule.routerPath, [method], this.#dispatcher as never, { name })
  }

  readonly #dispatch = (ctx: Context, next: Next): unknown => {
    const match = this.#matchOf(ctx)
    if (match.kind !== 'match') {
      noteMiss(ctx, this, match, method => this.#advertisedBy(ctx.path, method))
      return next()
    }
    noteMatch(ctx, this, match)
    ctx.params = match.parameters
    ctx.router = this.router
    return match.value.handle(ctx, new Named(ctx, match.parameters), match.texts)
  }

  #advertisedBy(path: string, method: string): AdvertisedFields {
    const match = this.#matcher.match(path, method)
    return match.kind === 'match' ? (match.value.advertised ?? []) : []
  }

  #schemaOfField(codec: t.Mixed): SchemaObject | undefined {
    const field = this.#fields.get(codec)
    if (field === undefined || !('validate' in field)) return field
    return this.spec.schemas.of(field, {
      direction: 'output',
      where: 'registerField',
    }) as SchemaObject
  }
}

// not within the class: a bundler would have to give a class that names itself another name
const ownHandler = Api.prototype.handleHttpException

/** The part of an endpoint that requests need. */
type Mounted = Pick<Endpoint, 'method' | 'rule' | 'name' | 'handle'> &
  Partial<Pick<Endpoint, 'advertised'>>

type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/** Finds misspelt settings at compile time, as the constructor does at run time. */
type Misspelt<Given> = {
  readonly [Name in Exclude<keyof Given, keyof Settings> &
    `${'API' | 'OPENAPI' | 'ETAG'}_${string}`]: {
    // a string would make the whole `never`, of which the compiler says nothing
    readonly [Key in `there is no setting ${Name}`]: true
  }
}
