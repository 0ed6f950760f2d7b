// Facts that registration determines once for all operations of a Blueprint, and once for those of
// a rule.
import type { Middleware } from 'koa'
import type { ParameterObject } from 'openapi3-ts/oas32'
import type { AnyBlueprint, Declaration, RouteOptions } from '../declare/blueprint.js'
import type { Attributes } from '../feature-api/attributes.js'
import { type Feature, lastOfEachKind, type Route } from '../feature-api/feature.js'
import type { Rule } from '../http/routing/rule.js'
import type { OperationDescription } from '../openapi/document/describe-operation.js'
import { namesOf, pathParameters } from './rule-description.js'
import type { Method } from './view-methods.js'

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
