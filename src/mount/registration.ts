import type { Middleware } from 'koa'
import type { OperationObject, PathItemObject, ReferenceObject, TagObject } from 'openapi3-ts/oas32'
import {
  type AnyBlueprint,
  attributesOf,
  type BlueprintOptions,
  type Declaration,
  type RegistrationOptions,
  type RouteOptions,
  type ViewOptions,
} from '../declare/blueprint.js'
import type { Context, Exchange } from '../feature-api/exchange.js'
import { lastOfEachKind, type Route, unmetNeeds } from '../feature-api/feature.js'
import type { OpenStreams } from '../feature-api/open-streams.js'
import type { DeclaredWebhook } from '../features/webhook/webhook.js'
import type { Failure, Refusal } from '../http/failure.js'
import type { ConverterFactory } from '../http/routing/converter.js'
import { parseRule, type Rule } from '../http/routing/rule.js'
import { optionsIn } from '../names.js'
import { callbackFaults } from '../openapi/document/callback-expressions.js'
import {
  conflictingParameters,
  describeOperation,
  type Fragment,
  merge,
  type OperationDescription,
} from '../openapi/document/fragment.js'
import type { Spec } from '../openapi/openapi-document.js'
import { SchemaError, type Schemas } from '../openapi/schema/schemas.js'
import {
  checkOptions,
  defined,
  func,
  guard,
  list,
  type Rule as OptionRule,
  type Rules,
  string,
  strings,
} from '../options.js'
import { checkProblem, checkResponse } from '../respond/documented-response.js'
import { isAlone } from '../respond/error-boundary.js'
import { frame, type Handle } from '../respond/operation-frame.js'
import { type AdvertisedFields, noteThrown } from '../respond/request-routing.js'
import type { IsAlone } from '../respond/response.js'
import { isOwn } from '../respond/result.js'
import { type CompiledOperation, compile, type UnboundRoute } from '../respond/run-operation.js'
import { failureOf } from '../respond/thrown.js'
import type { Claims } from './claims.js'
import { guardFaults } from './guards.js'
import {
  type Inherited,
  type Method,
  methodsOf,
  operationIdOf,
  type Place,
  placeOf,
  queryNamesOf,
  type Scope,
  unreadMediaTypes,
} from './view-methods.js'

/**
 * A Blueprint, tools of it, or a webhook that cannot be registered: all faults at once, each with
 * the class and method, or the path, that it is about.
 */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'

  constructor(
    subject: string,
    readonly faults: readonly string[],
  ) {
    super(`${subject} cannot be registered:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
  }
}

/** The part of an Api that a registration needs. */
interface Registry {
  readonly settings: Route['settings']
  readonly converters: ReadonlyMap<string, ConverterFactory>
  readonly spec: Spec
  readonly claims: Claims
  readonly warn: (text: string) => void
  readonly streams: OpenStreams
  /** Responds to a refused request of an operation. */
  readonly refuse: (exchange: Exchange, refusal: Refusal, isAlone: IsAlone) => void
}

const URL_PREFIX: OptionRule = { ...string, text: 'a string such as "/pets"' }
const BLUEPRINT_RULES: Rules<BlueprintOptions> = {
  urlPrefix: URL_PREFIX,
  description: string,
  shared: guard({
    text: 'the result of operation(…)',
    fits: value => Array.isArray(Object(value).features),
  }),
}
const REGISTRATION_RULES: Rules<RegistrationOptions> = {
  urlPrefix: URL_PREFIX,
  description: string,
  name: string,
  parameters: list,
}
const ROUTE_RULES: Rules<RouteOptions> = { endpoint: string, parameters: list, tags: strings }
const VIEW_RULES: Rules<ViewOptions<object, never>> = { ...ROUTE_RULES, create: func }

/** One method of one rule, ready to run. */
export interface Endpoint {
  readonly method: string
  readonly rule: Rule
  readonly name: string
  readonly handle: Handle
  /** The fields that features advertise in the response to OPTIONS. */
  readonly advertised: AdvertisedFields
  readonly description: OperationDescription
}

/** A compiled Blueprint, with everything nested in it. */
interface Registered {
  readonly endpoints: readonly Endpoint[]
  readonly tags: readonly TagObject[]
}

/** Compiles a Blueprint for an Api. Throws a RegistrationError that lists every fault. */
export function register(
  blueprint: AnyBlueprint,
  options: RegistrationOptions,
  registry: Registry,
): Registered {
  const registration = new Registration(registry)
  registration.add(blueprint, options, {
    prefix: '',
    features: [],
    middleware: [],
    parameters: [],
    around: [],
  })
  registration.checkParameters()
  if (registration.faults.length > 0)
    throw new RegistrationError(
      `Blueprint "${optionsIn(options).name ?? blueprint.name}"`,
      registration.faults,
    )
  return registration
}

class Registration implements Registered {
  readonly endpoints: Endpoint[] = []
  readonly tags: TagObject[] = []
  readonly faults: string[] = []
  /** Path parameters that a registration documents, and those that are there to be documented. */
  readonly #documented = new Map<string, string>()
  readonly #present = new Set<string>()

  constructor(readonly registry: Registry) {}

  readonly fault = (text: string): void => {
    this.faults.push(text)
  }

  add(blueprint: AnyBlueprint, overrides: RegistrationOptions, outer: Inherited): void {
    const label = optionsIn(overrides).name ?? blueprint.name
    const options = checkOptions(this, `Blueprint "${label}"`, blueprint.options, BLUEPRINT_RULES)
    const given = checkOptions(
      this,
      `registerBlueprint() of "${label}"`,
      overrides,
      REGISTRATION_RULES,
    )
    const { shared } = options
    const {
      name = blueprint.name,
      urlPrefix = options.urlPrefix ?? '',
      description = options.description,
    } = given
    const prefix = outer.prefix + urlPrefix.replace(/\/$/, '')
    if (this.#isTwice(blueprint, prefix, outer)) return
    this.faults.push(...guardFaults(`Blueprint "${name}"`, shared?.features ?? []))
    this.tags.push(defined({ name, description }))
    const { parameters = [] } = given
    for (const parameter of parameters)
      if (parameter.in === 'path') this.#documented.set(parameter.name, name)
    const scope: Scope = {
      prefix,
      features: [...outer.features, ...(shared?.features ?? [])],
      middleware: [...outer.middleware, ...(blueprint.middleware as readonly Middleware[])],
      parameters: [...outer.parameters, ...parameters],
      around: [...outer.around, blueprint],
      name,
      attributes: attributesOf(blueprint),
    }
    for (const declaration of blueprint.declarations) {
      if ('blueprint' in declaration) this.add(declaration.blueprint, declaration.options, scope)
      else this.#declare(declaration, scope)
    }
  }

  /** Path parameters that a registration documents, and that no rule has. */
  checkParameters(): void {
    for (const [parameter, name] of this.#documented) {
      if (!this.#present.has(parameter))
        this.fault(
          `registerBlueprint() of "${name}": none of its rules has the path parameter "${parameter}" that parameters documents`,
        )
    }
  }

  #isTwice(blueprint: AnyBlueprint, prefix: string, { around }: Inherited): boolean {
    if (around.includes(blueprint)) {
      this.fault(`Blueprint "${blueprint.name}" is nested in itself`)
      return true
    }
    if (!this.registry.claims.hasBlueprint(blueprint, prefix)) return false
    this.fault(
      `Blueprint "${blueprint.name}" is registered already, under ${prefix || '/'}: give registerBlueprint(…, { urlPrefix }) another prefix, or leave it out`,
    )
    return true
  }

  #declare(declaration: Declaration, scope: Scope): void {
    const rule = this.#rule(scope.prefix + declaration.rule)
    if (!rule) return
    this.#checkDeclaration(declaration, rule)
    const methods = methodsOf(declaration, rule, scope.attributes.HTTP_METHODS, this.fault)
    const place = placeOf(declaration, rule, scope, methods)
    for (const method of methods) {
      const advertised: [field: string, value: string][] = []
      const route = this.#route(method, place, (...pair) => advertised.push(pair))
      this.#bind(route, method, place, advertised)
    }
  }

  /** Creates the route that the features of an operation see. */
  #route(
    { method, operation, place: name }: Method,
    { rule, shared, represented, suffixes, scope: { attributes } }: Place,
    advertise: Route['advertise'],
  ): UnboundRoute {
    const features = lastOfEachKind([...shared, ...operation.features])
    const where = `${name}, ${method} ${rule.template}`
    this.faults.push(...guardFaults(where, operation.features))
    const route: UnboundRoute = {
      method,
      rule,
      place: `${name} (${method} ${rule.template})`,
      settings: this.registry.settings,
      attributes,
      features,
      represented,
      suffixes,
      advertise,
      queryNames: new Set(),
      fault: text => this.fault(`${where}: ${text}`),
      warn: this.registry.warn,
      claim: (name, value) => this.registry.claims.value(name, value),
    }
    if (
      route.settings.API_REQUIRE_SECURITY &&
      !features.some(feature => feature.secured !== undefined)
    )
      route.fault(
        'who may call it? Add secure(…) or open(), to it or around it: the setting API_REQUIRE_SECURITY is on',
      )
    for (const fault of unmetNeeds(route)) route.fault(fault)
    return route
  }

  #checkDeclaration({ options, view }: Declaration, rule: Rule): void {
    const place = `route('${rule.text}')`
    const { parameters = [] } = checkOptions<RouteOptions>(
      this,
      place,
      options,
      typeof view === 'function' ? VIEW_RULES : ROUTE_RULES,
    )
    for (const { name } of rule.parameters) this.#present.add(name)
    for (const { in: location, name } of parameters) {
      if (location === 'path' && !rule.parameters.some(parameter => parameter.name === name))
        this.fault(`${place}: it has no path parameter "${name}", which parameters documents`)
    }
  }

  #rule(text: string): Rule | undefined {
    try {
      return parseRule(text, this.registry.converters)
    } catch (error) {
      this.fault((error as Error).message)
      return undefined
    }
  }

  #bind(route: UnboundRoute, { call }: Method, place: Place, advertised: AdvertisedFields): void {
    const { middleware } = place.scope
    const { settings, refuse, streams } = this.registry
    // middleware may still change the response, and what is written cannot be compared with the
    // document
    const isWatched = middleware.length > 0 || settings.DEBUG || settings.TESTING
    const isOnly: IsAlone = isWatched ? () => false : isAlone
    const operation = compile(route, call, isOnly)
    const description = this.#claimed(route, this.#description(route, operation, place))
    for (const fault of callbackFaults(description, this.registry.spec.schemas)) route.fault(fault)
    for (const type of unreadMediaTypes(route, description))
      route.fault(
        `doc: no argument reads a body of ${type}, so each would be a 415: read it with body(…), bytes or text`,
      )
    for (const name of queryNamesOf(description)) route.queryNames.add(name)
    const name = this.registry.claims.name(place.names, route.rule)
    const traceNames = {
      operationId: operationIdOf(description),
      route: route.rule.routerPath,
      method: route.method,
    }
    const checkRefusal = problemCheck(route)
    const handle = frame(operation, traceNames, middleware, streams, (exchange, refusal) => {
      checkRefusal?.(refusal)
      refuse(exchange, refusal, isOnly)
    })
    this.endpoints.push({
      rule: route.rule,
      method: route.method,
      name,
      handle: checkedHandle(route, description, this.registry.spec.schemas, handle),
      advertised,
      description,
    })
  }

  #description(
    route: UnboundRoute,
    operation: CompiledOperation,
    { scope, names, parameters, tags }: Place,
  ): OperationDescription {
    const method = route.method.toLowerCase()
    const fragments = this.#describe(route, operation)
    return {
      method,
      path: route.rule.template,
      pathParameters: parameters,
      fragment: merge(tags ? [{ tags }, ...fragments] : fragments, ({ $ref }) =>
        this.registry.spec.schemas.ownResponse($ref),
      ),
      defaultTag: scope.name,
      defaultOperationId: this.registry.claims.freeOperationId(
        names.map(name => `${name}_${method}`),
      ),
    }
  }

  /** Claims the names of an operation; if its path is taken, that is the only fault reported. */
  #claimed(route: UnboundRoute, undescribed: OperationDescription): OperationDescription {
    const description = this.registry.spec.withPlugins(undescribed)
    const taken = this.registry.claims.path(route.method, route.rule, route.place)
    if (taken) {
      route.fault(
        `this path and method is ${taken === route.place ? 'registered twice' : `already registered by ${taken}`}`,
      )
      return description
    }
    if (description.fragment.hidden) return description
    const twin = this.registry.claims.template(route.rule)
    if (twin)
      route.fault(
        `${twin} and ${route.rule.template} are one path to OpenAPI: call their parameters the same, or hide one with doc({ hidden: true })`,
      )
    const id = operationIdOf(description)
    const other = this.registry.claims.operationId(id, route.place)
    if (other)
      route.fault(
        `its operationId ${id} is that of ${other}: give one of them another endpoint, or doc({ operationId: '…' })`,
      )
    return description
  }

  /** Describes the operation; reports what cannot be documented. */
  #describe(route: UnboundRoute, operation: CompiledOperation): readonly Fragment[] {
    try {
      const fragments = operation.describe(this.registry.spec.schemas)
      for (const { in: location, name } of conflictingParameters(fragments))
        route.fault(
          `two features read "${name}" in the ${location}, and describe it differently: let one of them read it, or give it another name`,
        )
      return fragments
    } catch (error) {
      this.faults.push(
        ...(error instanceof SchemaError ? error.problems : [(error as Error).message]),
      )
      return []
    }
  }
}

// Compares every response with the document, and every problem with those that the operation lists,
// in development and in tests. Registration wraps its handlers with this; in production it costs
// nothing.

/**
 * Returns the handler with its responses checked; the handler itself if DEBUG and TESTING are off.
 */
function checkedHandle(
  route: Pick<Route, 'settings' | 'features' | 'place'>,
  description: OperationDescription,
  schemas: Schemas,
  handle: Handle,
): Handle {
  const checkThrown = problemCheck(route)
  if (!checkThrown) return handle
  let operation: OperationObject | undefined
  const resolve = ({ $ref }: ReferenceObject) => schemas.ownResponse($ref)
  const check = (ctx: Context) => {
    // data written to `ctx.res` itself may be anything, and later
    if (isOwn(ctx)) return
    operation ??= describeOperation(description, schemas)
    checkResponse(ctx, route.place, operation, resolve)
  }
  return async (ctx, parameters, texts) => {
    try {
      await handle(ctx, parameters, texts)
    } catch (thrown) {
      // its response is written by the error boundary, in front of all middleware
      noteThrown(ctx, () => check(ctx))
      checkThrown(failureOf(thrown))
      throw thrown
    }
    check(ctx)
  }
}

/**
 * Returns a check that throws for a declared problem that the operation does not list; undefined if
 * DEBUG and TESTING are off.
 */
function problemCheck({
  settings,
  features,
  place,
}: Pick<Route, 'settings' | 'features' | 'place'>): ((failure: Failure) => void) | undefined {
  if (!settings.DEBUG && !settings.TESTING) return undefined
  const declared = new Set(features.flatMap(feature => feature.problem ?? []))
  return failure => checkProblem(failure, declared, place)
}

/** Adds a webhook to the document of an Api; throws a RegistrationError that lists every fault. */
export function addWebhook(spec: Spec, webhook: DeclaredWebhook): void {
  const faults = [...webhook.faults]
  if (spec.hasWebhook(webhook.name)) faults.push('another webhook of this Api has its name')
  let item: PathItemObject = {}
  try {
    item = webhook.describe(spec.schemas)
  } catch (error) {
    faults.push(...(error instanceof SchemaError ? error.problems : [(error as Error).message]))
  }
  if (faults.length > 0) throw new RegistrationError(`Webhook "${webhook.name}"`, faults)
  spec.addWebhook(webhook.name, item)
}
