// The operations of a rule, as declared by a view class or a function. Called by registration.
import type { Middleware } from 'koa'
import type { ParameterObject } from 'openapi3-ts/oas32'
import type { AnyBlueprint, Declaration, RouteOptions } from '../declare/blueprint.js'
import { type Operation, VERBS, type Verb, type ViewClass } from '../declare/operation.js'
import type { Context } from '../feature-api/exchange.js'
import { type Feature, lastOfEachKind, type Route } from '../feature-api/feature.js'
import { type Attributes, READERS } from '../feature-api/request-reader.js'
import { essenceOf, isInRange, isJsonType } from '../http/media-type.js'
import type { Rule } from '../http/routing/rule.js'
import { mergeParameters, type OperationDescription } from '../openapi/document/fragment.js'
import type { View } from '../respond/run-operation.js'
import { classesOf, sharedFaults } from './guards.js'

/** One operation of a declaration. */
export interface Method {
  readonly method: string
  readonly place: string
  readonly operation: Operation
  readonly call: View
}

/**
 * The operations of a declaration, in the order of the document; what is wrong with a class of
 * views goes to `fault`.
 */
export function methodsOf(
  declaration: Declaration,
  rule: Rule,
  order: readonly string[],
  fault: (text: string) => void,
): readonly Method[] {
  const { view } = declaration
  return typeof view === 'function'
    ? methodsOfClass(declaration, view, order, fault)
    : methodsOfFunction(declaration, rule, fault)
}

function methodsOfClass(
  { options }: Declaration,
  view: ViewClass,
  order: readonly string[],
  fault: (text: string) => void,
): Method[] {
  const create = options.create as ((ctx: Context) => object) | undefined
  const make = create ?? (() => new (view as unknown as new () => object)())
  if (view.length > 0 && !create)
    fault(
      `${view.name}: its constructor takes something, so route() needs { create: ctx => new ${view.name}(…) }`,
    )
  for (const text of sharedFaults(view)) fault(text)
  const verbs = VERBS.filter(verb => typeof view.prototype[verb] === 'function')
  if (verbs.length === 0)
    fault(
      `${view.name}: it has no method of HTTP, such as get() { … } (a field with a function is not a method)`,
    )
  const described = verbs.flatMap(verb => {
    const operation = (view as unknown as Record<Verb, Operation | undefined>)[verb]
    if (operation?.features) return [{ verb, operation }]
    fault(`${view.name}: ${verb}() has no descriptor, add: static ${verb} = operation(…)`)
    return []
  })
  for (const verb of VERBS) {
    if (!verbs.includes(verb) && Object.hasOwn(view, verb))
      fault(`${view.name}: static ${verb} describes a method that is not there`)
  }
  for (const name of unusedDescriptors(view)) {
    fault(
      `${view.name}: static ${name} is a descriptor that no method has: call it shared, or as its method is called; what other classes use belongs outside`,
    )
  }
  return described
    .map(({ verb, operation }) => ({
      method: verb.toUpperCase(),
      place: `${view.name}.${verb}`,
      operation,
      call: ((ctx, ...rest) => (make(ctx) as Record<Verb, View>)[verb](ctx, ...rest)) as View,
    }))
    .sort((left, right) => orderIn(order, left.method) - orderIn(order, right.method))
}

/**
 * Descriptors under names that nothing reads, in a class or those it extends: a misspelt `shared`
 * would leave all methods open.
 */
function unusedDescriptors(view: ViewClass): readonly string[] {
  const found = classesOf(view).flatMap(type =>
    Object.entries(type).flatMap(([name, value]) => {
      const features: unknown = Object(value).features
      return Array.isArray(features) ? [[name, features as readonly unknown[]] as const] : []
    }),
  )
  const used = new Set(found.flatMap(([name, features]) => (READ.includes(name) ? features : [])))
  // a list that descriptors of methods are made of is used
  return found.flatMap(([name, features]) =>
    features.some(feature => !used.has(feature)) ? [name] : [],
  )
}

const READ: readonly string[] = [...VERBS, 'shared']

function methodsOfFunction(
  { options, view }: Declaration,
  rule: Rule,
  fault: (text: string) => void,
): Method[] {
  const { operation, call, methods } = view as Exclude<Declaration['view'], ViewClass>
  const place = options.endpoint ?? (call.name || ruleName(rule))
  if (
    !Array.isArray(methods) ||
    methods.length === 0 ||
    !methods.every(method => typeof method === 'string')
  ) {
    fault(`${place}: methods is a list of at least one, ['GET', 'POST']`)
    return []
  }
  return methods.map(method => ({ method: method.toUpperCase(), place, operation, call }))
}

function orderIn(order: readonly string[], method: string): number {
  const index = order.indexOf(method)
  return index === -1 ? order.length : index
}

// Facts that registration determines once for all operations of a Blueprint, and once for those of
// a rule.

/** Properties that a nested Blueprint inherits. */
export interface Inherited {
  readonly prefix: string
  readonly features: readonly Feature[]
  readonly middleware: readonly Middleware[]
  /** Documentation of parameters by hand, for all its paths. */
  readonly parameters: readonly ParameterObject[]
  /** The Blueprints that it is nested in, from outside. */
  readonly around: readonly AnyBlueprint[]
}

/** Properties that the operations of one Blueprint share. */
export interface Scope extends Inherited {
  readonly name: string
  readonly attributes: Attributes
}

/** Properties that the operations of one rule share. */
export interface Place {
  readonly rule: Rule
  readonly scope: Scope
  /** The features around each of them. */
  readonly shared: readonly Feature[]
  /** The codec of the GET among them. */
  readonly represented: Route['represented']
  /** The suffixes of the entity tags of the GET among them. */
  readonly suffixes: Route['suffixes']
  /** The names for the rule; the first free one is used. */
  readonly names: readonly string[]
  readonly parameters: OperationDescription['pathParameters']
  readonly tags: RouteOptions['tags']
}

export function placeOf(
  { view, options }: Declaration,
  rule: Rule,
  scope: Scope,
  methods: readonly Method[],
): Place {
  const isClass = typeof view === 'function'
  const shared = isClass ? [...scope.features, ...(view.shared?.features ?? [])] : scope.features
  const ofGet = lastOfEachKind([
    ...shared,
    ...(methods.find(({ method }) => method === 'GET')?.operation.features ?? []),
  ])
  return {
    rule,
    scope,
    shared,
    represented: ofGet.findLast(feature => feature.represents)?.represents,
    suffixes: ofGet.flatMap(({ suffixes = [] }) => suffixes),
    names: namesOf(rule, scope.name, options.endpoint ?? (isClass ? view.name : view.call.name)),
    parameters: pathParameters(rule, [...scope.parameters, ...(options.parameters ?? [])]),
    tags: options.tags,
  }
}

// The part of the description of operations that their rule provides: parameters and names. Called
// by registration.

/** The parameters of the path, and documentation by hand laid over them by place and name. */
function pathParameters(
  rule: Rule,
  byHand: readonly ParameterObject[],
): OperationDescription['pathParameters'] {
  const own = rule.parameters.map(
    ({ name, converter }): ParameterObject => ({
      name,
      in: 'path',
      required: true,
      schema: converter.schema ?? { type: 'string' },
    }),
  )
  const isOwn = (name: string) => rule.parameters.some(parameter => parameter.name === name)
  return mergeParameters(
    own,
    byHand.filter(parameter => parameter.in !== 'path' || isOwn(parameter.name)),
  ).map(parameter =>
    'in' in parameter && parameter.in === 'path' ? { ...parameter, required: true } : parameter,
  )
}

/** The documented names in the query; of an object in the style `deepObject`, `created[` too. */
export function queryNamesOf({
  pathParameters,
  fragment: { parameters = [], manual },
}: OperationDescription): readonly string[] {
  return [...pathParameters, ...parameters, ...(manual?.parameters ?? [])].flatMap(parameter => {
    if (!('in' in parameter) || parameter.in !== 'query') return []
    const { name, style } = parameter
    return style === 'deepObject' ? [name, `${name}[`] : [name]
  })
}

/**
 * The media types of the body that are documented by hand only and that no argument reads: each
 * such request would be a 415. None if a reader of the application, or a method, reads the body.
 */
export function unreadMediaTypes(
  { features, attributes }: Pick<Route, 'features' | 'attributes'>,
  { fragment: { requestBody, manual } }: OperationDescription,
): readonly string[] {
  const byHand = manual?.requestBody
  const isRead = features.some(({ bodyLimit }) => bodyLimit !== undefined)
  const isOwnReader = BODIES.some(name => attributes.ARGUMENTS_PARSER[name] !== READERS[name])
  if (!isRead || isOwnReader || !requestBody || !byHand || !('content' in byHand)) return []
  const read = Object.keys(requestBody.content).map(essenceOf)
  const reads = (type: string) =>
    read.some(one => isInRange(one, type)) ||
    // `json` and `form` read these beside their own
    (isJsonType(type)
      ? read.some(one => !FORMS.has(one))
      : FORMS.has(type) && read.some(one => FORMS.has(one)))
  return Object.keys(byHand.content ?? {}).filter(type => !reads(essenceOf(type)))
}

const BODIES = ['json', 'form', 'files'] as const
const FORMS = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

/** The operationId that an operation has in the document. */
export function operationIdOf({
  fragment: { manual, operationId },
  defaultOperationId,
}: OperationDescription): string {
  return manual?.operationId ?? operationId ?? defaultOperationId
}

/**
 * The names for a view, of which the first free one is used: its own name, the same behind its
 * Blueprint's, or the whole path.
 */
function namesOf(rule: Rule, blueprint: string, own: string): readonly string[] {
  const path = ruleName(rule)
  return [own || path, `${blueprint.replace(/[^\w.-]+/g, '_')}_${own || path}`, path]
}

/** A name for a function that has none: `/pets/{petId}/toys` is `pets_petId_toys`. */
function ruleName({ template }: Rule): string {
  return template.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'root'
}
