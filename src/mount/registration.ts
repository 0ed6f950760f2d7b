import type { Middleware } from 'koa'
import type { TagObject } from 'openapi3-ts/oas32'
import type { Exchange } from '../contract/exchange.js'
import { lastOfEachKind, type Route } from '../contract/feature.js'
import {
  type AnyBlueprint,
  attributesOf,
  type BlueprintOptions,
  type Declaration,
  type RegistrationOptions,
  type RouteOptions,
} from '../declare/blueprint.js'
import type { Refusal } from '../http/failure.js'
import { type ConverterFactory, parseRule, type Rule } from '../http/routing/rule.js'
import { optionsIn, shown, unknownOptions } from '../names.js'
import type { OperationDescription } from '../openapi/document/document.js'
import { conflictingParameters, type Fragment, merge } from '../openapi/document/fragment.js'
import { SchemaError, type Schemas } from '../openapi/schema/schemas.js'
import type { IsAlone } from '../respond/fast-response.js'
import { frame, type Handle } from '../respond/operation-frame.js'
import { type CompiledOperation, compile } from '../respond/run-operation.js'
import type { ServedRoute } from './app-routes.js'
import { checkedHandle, problemCheck } from './checked-handle.js'
import type { Claims } from './claims.js'
import { type Inherited, type Place, placeOf, type Scope } from './place.js'
import { operationIdOf } from './rule-description.js'
import { type Method, methodsOf } from './view-methods.js'

/** A Blueprint that cannot be registered: all faults at once, each with the class and method that it is about. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'

  constructor(
    blueprint: string,
    readonly faults: readonly string[],
  ) {
    super(
      `Blueprint "${blueprint}" cannot be registered:\n${faults.map(fault => `  - ${fault}`).join('\n')}`,
    )
  }
}

/** The part of an Api that a registration needs. */
export interface Registry {
  readonly settings: Route['settings']
  readonly converters: ReadonlyMap<string, ConverterFactory>
  readonly schemas: Schemas
  readonly claims: Claims
  /** An operation's description, with what plugins say of it. */
  readonly withPlugins: (description: OperationDescription) => OperationDescription
  readonly warn: (text: string) => void
  /** Why another Api of the app makes an operation pointless, or the other way round. */
  readonly conflictOf: (route: ServedRoute) => string | undefined
  /** Whether nothing but this Api can have a part in the response. */
  readonly isAlone: IsAlone
  /** Responds to a refused request of an operation. */
  readonly refuse: (exchange: Exchange, refusal: Refusal, isAlone: IsAlone) => void
}

const BLUEPRINT_OPTIONS = [
  'urlPrefix',
  'description',
  'shared',
] as const satisfies readonly (keyof BlueprintOptions)[]
const REGISTRATION_OPTIONS = [
  'urlPrefix',
  'description',
  'name',
  'parameters',
] as const satisfies readonly (keyof RegistrationOptions)[]
const ROUTE_OPTIONS = [
  'endpoint',
  'parameters',
  'tags',
] as const satisfies readonly (keyof RouteOptions)[]
const VIEW_OPTIONS = [...ROUTE_OPTIONS, 'create']

/** One method of one rule, ready to run. */
export interface Endpoint extends ServedRoute {
  readonly name: string
  readonly handle: Handle
  readonly description: OperationDescription
}

/** A compiled Blueprint, with everything nested in it. */
export interface Registered {
  readonly claims: Claims
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
    throw new RegistrationError(optionsIn(options).name ?? blueprint.name, registration.faults)
  return registration
}

class Registration implements Registered {
  readonly endpoints: Endpoint[] = []
  readonly tags: TagObject[] = []
  readonly faults: string[] = []
  readonly claims: Claims
  /** Path parameters that a registration documents, and those that are there to be documented. */
  readonly #documented = new Map<string, string>()
  readonly #present = new Set<string>()

  constructor(readonly registry: Registry) {
    this.claims = registry.claims.begin()
  }

  add(blueprint: AnyBlueprint, overrides: RegistrationOptions, outer: Inherited): void {
    const options: BlueprintOptions = optionsIn(blueprint.options)
    const { shared } = options
    const given: RegistrationOptions = optionsIn(overrides)
    const {
      name = blueprint.name,
      urlPrefix = options.urlPrefix ?? '',
      description = options.description,
    } = given
    if (typeof urlPrefix !== 'string')
      this.faults.push(
        `Blueprint "${name}": urlPrefix is a text such as "/pets", not ${shown(urlPrefix)}`,
      )
    // what is shared may say who may call
    if (shared !== undefined && !Array.isArray(shared?.features))
      this.faults.push(
        `Blueprint "${name}": shared is what operation(…) returns, not ${shown(shared)}`,
      )
    const prefix =
      outer.prefix + (typeof urlPrefix === 'string' ? urlPrefix : '').replace(/\/$/, '')
    if (this.#isTwice(blueprint, prefix, outer)) return
    this.#checkOptions(`Blueprint "${name}"`, blueprint.options, BLUEPRINT_OPTIONS)
    this.#checkOptions(`registerBlueprint() of "${name}"`, overrides, REGISTRATION_OPTIONS)
    this.tags.push({ name, ...(description !== undefined && { description }) })
    const { parameters = [] } = given
    for (const parameter of parameters)
      if (parameter.in === 'path') this.#documented.set(parameter.name, name)
    const scope: Scope = {
      prefix,
      features: [...outer.features, ...(Array.isArray(shared?.features) ? shared.features : [])],
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
        this.faults.push(
          `registerBlueprint() of "${name}": none of its rules has the path parameter "${parameter}" that parameters documents`,
        )
    }
  }

  #isTwice(blueprint: AnyBlueprint, prefix: string, { around }: Inherited): boolean {
    if (around.includes(blueprint)) {
      this.faults.push(`Blueprint "${blueprint.name}" is nested in itself`)
      return true
    }
    if (!this.claims.hasBlueprint(blueprint, prefix)) return false
    this.faults.push(
      `Blueprint "${blueprint.name}" is registered already, under ${prefix || '/'}: give registerBlueprint(…, { urlPrefix }) another prefix, or leave it out`,
    )
    return true
  }

  #checkOptions(place: string, given: object, known: readonly string[]): void {
    this.faults.push(...unknownOptions(given, known).map(text => `${place}: ${text}`))
  }

  #declare(declaration: Declaration, scope: Scope): void {
    const rule = this.#rule(scope.prefix + declaration.rule)
    if (!rule) return
    this.#checkDeclaration(declaration, rule)
    const methods = methodsOf(declaration, rule, scope.attributes.HTTP_METHODS, text =>
      this.faults.push(text),
    )
    const place = placeOf(declaration, rule, scope, methods)
    for (const method of methods) this.#bind(this.#route(method, place), method, place)
  }

  /** Creates the route that the features of an operation see. */
  #route(
    { method, operation, place: name }: Method,
    { rule, shared, represented, scope: { attributes } }: Place,
  ): Route {
    const features = lastOfEachKind([...shared, ...operation.features])
    const route: Route = {
      method,
      rule,
      place: `${name} (${method} ${rule.template})`,
      settings: this.registry.settings,
      attributes,
      features,
      represented,
      fault: text => this.faults.push(`${name}, ${method} ${rule.template}: ${text}`),
      warn: this.registry.warn,
      claim: (name, value) => this.claims.value(name, value),
    }
    if (
      route.settings.API_REQUIRE_SECURITY &&
      !features.some(feature => feature.secured !== undefined)
    )
      route.fault(
        'who may call it? Add secure(…) or open(), to it or around it: the setting API_REQUIRE_SECURITY is on',
      )
    return route
  }

  #checkDeclaration({ options, view }: Declaration, rule: Rule): void {
    const place = `route('${rule.text}')`
    this.#checkOptions(place, options, typeof view === 'function' ? VIEW_OPTIONS : ROUTE_OPTIONS)
    for (const { name } of rule.parameters) this.#present.add(name)
    for (const { in: location, name } of options.parameters ?? []) {
      if (location === 'path' && !rule.parameters.some(parameter => parameter.name === name))
        this.faults.push(`${place}: it has no path parameter "${name}", which parameters documents`)
    }
  }

  #rule(text: string): Rule | undefined {
    try {
      return parseRule(text, this.registry.converters)
    } catch (error) {
      this.faults.push((error as Error).message)
      return undefined
    }
  }

  #bind(route: Route, { call }: Method, place: Place): void {
    const { middleware } = place.scope
    const { settings, refuse } = this.registry
    // middleware may still change the response, and what is written cannot be compared with the document
    const isWatched = middleware.length > 0 || settings.DEBUG || settings.TESTING
    const isAlone: IsAlone = isWatched ? () => false : this.registry.isAlone
    const operation = compile(route, call, isAlone)
    const description = this.#claimed(route, this.#description(route, operation, place))
    const name = this.claims.name(place.names, route.rule)
    const traceNames = {
      operationId: operationIdOf(description),
      route: route.rule.routerPath,
      method: route.method,
    }
    const checkRefusal = problemCheck(route)
    const handle = frame(operation, traceNames, middleware, (exchange, refusal) => {
      checkRefusal?.(refusal)
      refuse(exchange, refusal, isAlone)
    })
    this.endpoints.push({
      rule: route.rule,
      method: route.method,
      place: route.place,
      name,
      handle: checkedHandle(route, description, this.registry.schemas, handle),
      description,
    })
  }

  #description(
    route: Route,
    operation: CompiledOperation,
    { scope, names, parameters, tags }: Place,
  ): OperationDescription {
    const method = route.method.toLowerCase()
    const fragments = this.#describe(route, operation)
    return {
      method,
      path: route.rule.template,
      pathParameters: parameters,
      fragment: merge(tags ? [{ tags }, ...fragments] : fragments),
      defaultTag: scope.name,
      defaultOperationId: this.claims.freeOperationId(names.map(name => `${name}_${method}`)),
    }
  }

  /** Claims the names of an operation; if its path is taken, that is the only fault reported. */
  #claimed(route: Route, undescribed: OperationDescription): OperationDescription {
    const description = this.registry.withPlugins(undescribed)
    const taken = this.claims.path(route.method, route.rule, route.place)
    if (taken) {
      route.fault(
        `this path and method is ${taken === route.place ? 'registered twice' : `already registered by ${taken}`}`,
      )
      return description
    }
    const conflict = this.registry.conflictOf(route)
    if (conflict) route.fault(`${conflict}. Register one of them under another urlPrefix`)
    if (description.fragment.hidden) return description
    const twin = this.claims.template(route.rule)
    if (twin)
      route.fault(
        `${twin} and ${route.rule.template} are one path to OpenAPI: call their parameters the same, or hide one with doc({ hidden: true })`,
      )
    const id = operationIdOf(description)
    const other = this.claims.operationId(id, route.place)
    if (other)
      route.fault(
        `its operationId ${id} is that of ${other}: give one of them another endpoint, or doc({ operationId: '…' })`,
      )
    return description
  }

  /** Describes the operation; reports what cannot be documented. */
  #describe(route: Route, operation: CompiledOperation): readonly Fragment[] {
    try {
      const fragments = operation.describe(this.registry.schemas)
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
