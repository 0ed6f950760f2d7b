import type { Middleware } from 'koa'
import type { OperationObject, ParameterObject, ReferenceObject, ResponseObject, TagObject } from 'openapi3-ts/oas32'
import type { Attributes } from '../contract/attributes.js'
import type { Context, Exchange } from '../contract/exchange.js'
import { type Feature, lastOfEachKind, type Route } from '../contract/feature.js'
import { type AnyBlueprint, attributesOf, type Declaration, type RegistrationOptions } from '../declare/blueprint.js'
import { VERBS, type Verb, type ViewClass } from '../declare/method-view.js'
import type { Operation } from '../declare/operation.js'
import type { Refusal } from '../http/failure.js'
import { type ConverterFactory, parseRule, type Rule } from '../http/routing/rule.js'
import { describeOperation } from '../openapi/document/describe-operation.js'
import type { OperationDescription } from '../openapi/document/document.js'
import { type Fragment, merge } from '../openapi/document/fragment.js'
import { SchemaError, type Schemas } from '../openapi/schema/schemas.js'
import { holdAgainst } from '../respond/documented-response.js'
import type { IsAlone } from '../respond/fast-response.js'
import { frame, type Handle } from '../respond/operation-frame.js'
import { type CompiledOperation, compile, type View } from '../respond/run-operation.js'

/** What cannot be registered, all of it at once, each with the class and method that it is about. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'

  constructor(
    blueprint: string,
    readonly faults: readonly string[],
  ) {
    super(`Blueprint "${blueprint}" cannot be registered:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
  }
}

/** What a registration needs of the Api. */
export interface Registry {
  readonly settings: Route['settings']
  readonly converters: ReadonlyMap<string, ConverterFactory>
  readonly schemas: Schemas
  /** What can be there only once, operationIds and paths, and which operation has it. */
  readonly claims: ReadonlyMap<string, string>
  readonly warn: (text: string) => void
  /** Whether nothing but this Api can have a part in the answer. */
  readonly isAlone: IsAlone
  /** Answers a refused request of an operation. */
  readonly refuse: (exchange: Exchange, refusal: Refusal, isAlone: IsAlone) => void
}

/** One method of one rule, ready to answer. */
export interface Endpoint {
  readonly rule: Rule
  readonly method: string
  readonly name: string
  readonly handle: Handle
  readonly description: OperationDescription
}

/** A Blueprint with all that is nested in it, compiled. */
export interface Registered {
  readonly claims: ReadonlyMap<string, string>
  readonly endpoints: readonly Endpoint[]
  readonly tags: readonly TagObject[]
}

/** Compiles a Blueprint for an Api. Throws a RegistrationError with every fault that there is. */
export function register(blueprint: AnyBlueprint, options: RegistrationOptions, registry: Registry): Registered {
  const registration = new Registration(registry)
  registration.add(blueprint, options, { prefix: '', features: [], middleware: [] })
  if (registration.faults.length > 0) throw new RegistrationError(options.name ?? blueprint.name, registration.faults)
  return registration
}

/** What a nested Blueprint gets from those around it. */
interface Inherited {
  readonly prefix: string
  readonly features: readonly Feature[]
  readonly middleware: readonly Middleware[]
}

/** One operation of a declaration. */
interface Method {
  readonly method: string
  readonly place: string
  readonly operation: Operation
  readonly call: View
}

class Registration implements Registered {
  readonly endpoints: Endpoint[] = []
  readonly tags: TagObject[] = []
  readonly faults: string[] = []
  readonly claims = new Map<string, string>()

  constructor(readonly registry: Registry) {}

  add(blueprint: AnyBlueprint, overrides: RegistrationOptions, around: Inherited): void {
    const { urlPrefix = '', description, shared } = { ...blueprint.options, ...overrides }
    const name = overrides.name ?? blueprint.name
    this.tags.push({ name, ...(description !== undefined && { description }) })
    const inherited: Inherited = {
      prefix: around.prefix + urlPrefix.replace(/\/$/, ''),
      features: [...around.features, ...(shared?.features ?? [])],
      middleware: [...around.middleware, ...(blueprint.middleware as readonly Middleware[])],
    }
    const attributes = attributesOf(blueprint)
    for (const declaration of blueprint.declarations) {
      if ('declarations' in declaration) this.add(declaration, {}, inherited)
      else this.#declare(declaration, { ...inherited, tag: name, attributes })
    }
  }

  #declare(declaration: Declaration, scope: Inherited & { tag: string; attributes: Attributes }): void {
    const rule = this.#rule(scope.prefix + declaration.rule)
    if (!rule) return
    const methods =
      typeof declaration.view === 'function'
        ? this.#methodsOfClass(declaration, declaration.view, scope.attributes)
        : methodsOfFunction(declaration, rule)
    const shared =
      typeof declaration.view === 'function' ? [...scope.features, ...(declaration.view.shared?.features ?? [])] : scope.features
    const represented = methods.find(({ method }) => method === 'GET')?.operation.features ?? []
    for (const one of methods) {
      const features = lastOfEachKind([...shared, ...one.operation.features])
      const route: Route = {
        method: one.method,
        rule,
        place: `${one.place} (${one.method} ${rule.template})`,
        settings: this.registry.settings,
        attributes: scope.attributes,
        features,
        represented: lastOfEachKind([...shared, ...represented]).findLast(feature => feature.represents)?.represents,
        fault: text => this.faults.push(`${one.place}, ${one.method} ${rule.template}: ${text}`),
        warn: this.registry.warn,
      }
      this.#bind(route, one, declaration, scope)
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

  #methodsOfClass({ options }: Declaration, view: ViewClass, { HTTP_METHODS }: Attributes): Method[] {
    const create = options.create as ((ctx: Context) => object) | undefined
    const make = create ?? (() => new (view as unknown as new () => object)())
    if (view.length > 0 && !create)
      this.faults.push(`${view.name}: its constructor takes something, so route() needs { create: ctx => new ${view.name}(…) }`)
    const verbs = VERBS.filter(verb => typeof view.prototype[verb] === 'function')
    if (verbs.length === 0)
      this.faults.push(`${view.name}: it has no method of HTTP, such as get() { … } (a field that holds a function is none)`)
    const described = verbs.flatMap(verb => {
      const operation = (view as unknown as Record<Verb, Operation | undefined>)[verb]
      if (operation?.features) return [{ verb, operation }]
      this.faults.push(`${view.name}: ${verb}() has no descriptor, add: static ${verb} = operation(…)`)
      return []
    })
    for (const verb of VERBS) {
      if (!verbs.includes(verb) && Object.hasOwn(view, verb))
        this.faults.push(`${view.name}: static ${verb} describes a method that is not there`)
    }
    return described
      .map(({ verb, operation }) => ({
        method: verb.toUpperCase(),
        place: `${view.name}.${verb}`,
        operation,
        call: ((ctx, ...rest) => (make(ctx) as Record<Verb, View>)[verb](ctx, ...rest)) as View,
      }))
      .sort((left, right) => orderIn(HTTP_METHODS, left.method) - orderIn(HTTP_METHODS, right.method))
  }

  #bind(route: Route, { call }: Method, { options, view }: Declaration, { tag, middleware }: Inherited & { tag: string }): void {
    const { settings, refuse } = this.registry
    // middleware may still change the answer, and what is written cannot be held against the document
    const isWatched = middleware.length > 0 || settings.DEBUG || settings.TESTING
    const isAlone: IsAlone = isWatched ? () => false : this.registry.isAlone
    const operation = compile(route, call, isAlone)
    const name = options.endpoint ?? (typeof view === 'function' ? view.name : view.call.name || ruleName(route.rule))
    const description: OperationDescription = {
      method: route.method.toLowerCase(),
      path: route.rule.template,
      pathParameters: pathParameters(route.rule, options.parameters ?? []),
      fragment: merge([...(options.tags ? [{ tags: options.tags }] : []), ...this.#describe(operation)]),
      defaultTag: tag,
      defaultOperationId: `${name}_${route.method.toLowerCase()}`,
    }
    this.#claimNames(route, description)
    const handle = frame(operation, middleware, (exchange, refusal) => refuse(exchange, refusal, isAlone))
    this.endpoints.push({ rule: route.rule, method: route.method, name, handle: this.#truthful(route, description, handle), description })
  }

  /** An operationId names one operation of the Api (OpenAPI 3.1, section 4.8.10.1), and one operation answers a path's method. */
  #claimNames(route: Route, { fragment, defaultOperationId }: OperationDescription): void {
    const { hidden, manual, operationId = defaultOperationId } = fragment
    const id = manual?.operationId ?? operationId
    const path = route.rule.segments.map(segment => `/${typeof segment === 'string' ? segment : `<${segment.type}>`}`).join('')
    this.#claim(`${route.method} ${path}`, route, 'this path and method is')
    if (!hidden)
      this.#claim(
        `operationId ${id}`,
        route,
        `its operationId ${id} is`,
        `: give one of them another endpoint, or doc({ operationId: '…' })`,
      )
  }

  #claim(name: string, route: Route, what: string, advice = ''): void {
    const other = this.registry.claims.get(name) ?? this.claims.get(name)
    if (other) route.fault(`${what} that of ${other}${advice}`)
    this.claims.set(name, route.place)
  }

  /** In development and in tests every answer is held against the document; in production it costs nothing. */
  #truthful(route: Route, description: OperationDescription, handle: Endpoint['handle']): Endpoint['handle'] {
    const { settings, schemas } = this.registry
    if (!settings.DEBUG && !settings.TESTING) return handle
    let operation: OperationObject | undefined
    const resolve = ({ $ref }: ReferenceObject) =>
      schemas.components.responses?.[$ref.replace('#/components/responses/', '')] as ResponseObject | undefined
    return async (ctx, parameters, texts) => {
      await handle(ctx, parameters, texts)
      operation ??= describeOperation(description.fragment, description.defaultTag, description.defaultOperationId, schemas)
      holdAgainst(ctx, route.place, operation, resolve)
    }
  }

  /** What cannot be documented says itself where it stands. */
  #describe(operation: CompiledOperation): readonly Fragment[] {
    try {
      return operation.describe(this.registry.schemas)
    } catch (error) {
      this.faults.push(...(error instanceof SchemaError ? error.problems : [(error as Error).message]))
      return []
    }
  }
}

function methodsOfFunction({ options, view }: Declaration, rule: Rule): Method[] {
  const { operation, call, methods } = view as Exclude<Declaration['view'], ViewClass>
  const place = options.endpoint ?? (call.name || ruleName(rule))
  return methods.map(method => ({ method: method.toUpperCase(), place, operation, call }))
}

/** The parameters of the path, and documentation by hand laid over them by place and name. */
function pathParameters(rule: Rule, byHand: readonly ParameterObject[]): ParameterObject[] {
  const own = rule.parameters.map(
    ({ name, converter }): ParameterObject => ({ name, in: 'path', required: true, schema: converter.schema ?? { type: 'string' } }),
  )
  const isSame = (left: ParameterObject, right: ParameterObject) => left.name === right.name && left.in === right.in
  const merged = own.map(parameter => ({ ...parameter, ...byHand.find(manual => isSame(manual, parameter)) }))
  return [...merged, ...byHand.filter(manual => !own.some(parameter => isSame(manual, parameter)))]
}

/** A name for a function that has none: `/pets/{petId}/toys` is `pets_petId_toys`. */
function ruleName({ template }: Rule): string {
  return template.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'root'
}

function orderIn(order: readonly string[], method: string): number {
  const index = order.indexOf(method)
  return index === -1 ? order.length : index
}
