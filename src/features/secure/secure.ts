import type { SecurityRequirementObject } from 'openapi3-ts/oas32'
import type { Context } from '../../feature-api/exchange.js'
import type { Feature, Route } from '../../feature-api/feature.js'
import { optionsIn } from '../../names.js'
import { type Fragment, RETRY_LATER, textHeader } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { checkOptions, flag, func, guard } from '../../options.js'
import { deciderOf, type Policy } from './decide.js'
import {
  type Alternative,
  alternativesOf,
  type Requirement,
  type Scheme,
  type SecureWire,
} from './scheme.js'

/** Options of `secure`. */
export interface SecureOptions<P> {
  /**
   * Returns whether this principal may call the operation; otherwise 403. `ctx.params` are the path
   * parameters.
   */
  allow?(principal: P, ctx: Context): boolean | Promise<boolean>
  /**
   * Whether requests without credentials are accepted, with `principal` undefined. Wrong
   * credentials are refused with 401 even so. Default false.
   */
  readonly optional?: boolean
}

/** Rejects unknown options: the compiler does not check excess properties of inferred options. */
type NoOther<Options> = {
  readonly [Name in Exclude<
    keyof Options,
    keyof SecureOptions<never>
  >]: `there is no option ${Name & string}`
}

/**
 * Restricts who may call an operation: `secure(login)`, `secure(anyOf(login, key))`,
 * `secure(login.scopes('pets:write'), { allow })`. The method receives `principal`. Requests
 * without valid credentials are refused with 401, those without permission with 403, before the
 * body is read. On a Blueprint or a view it applies to all their operations; the `secure` or `open`
 * of a method replaces it.
 */
export function secure<P, Refusals extends number, Options>(
  requirement: Requirement<P, Refusals>,
  options: Options & SecureOptions<P> & { readonly optional: true } & NoOther<Options>,
): Feature<{ named: { principal: P | undefined }; wire: SecureWire<Refusals, Options> }, 'secure'>
export function secure<P, Refusals extends number, Options = unknown>(
  requirement: Requirement<P, Refusals>,
  options?: Options & SecureOptions<P> & NoOther<Options>,
): Feature<{ named: { principal: P }; wire: SecureWire<Refusals, Options> }, 'secure'>
export function secure(
  requirement: Requirement,
  given: SecureOptions<unknown> = {},
): Feature<Record<never, never>, 'secure'> {
  const options: SecureOptions<unknown> = optionsIn(given)
  const { optional = false } = options
  const alternatives = alternativesOf(requirement)
  const policy: Policy = {
    alternatives,
    optional,
    allow: options.allow && ((principal, ctx) => options.allow?.(principal, ctx) ?? false),
  }
  const schemes = alternatives.flatMap(alternative => alternative.schemes)
  return {
    kind: 'secure',
    secured: true,
    gives: ['principal'],
    credentials: [...new Set(schemes.flatMap(fieldOf))],
    identifies: schemes.every(scheme => scheme.identify !== undefined),
    on(route) {
      checkOptions(route, 'secure()', given, { allow: guard(func), optional: flag })
      checkAlternatives(route, alternatives)
      const named = schemes.filter(scheme => isSound(route, scheme))
      for (const { document } of schemes)
        if (document.in === 'query') route.queryNames.add(document.name as string)
      return [
        {
          stage: 'access',
          step: deciderOf({ ...policy, bodyLimit: bodyLimitOf(route) }),
          docs: schemas => describe(schemas, policy, named),
        },
      ]
    },
  }
}

function bodyLimitOf({ features }: Route): number | undefined {
  const limits = features.flatMap(({ bodyLimit }) => bodyLimit ?? [])
  return limits.length > 0 ? Math.max(...limits) : undefined
}

/**
 * Returns the request header field that the credentials of a scheme are sent in, if there is one.
 */
function fieldOf({ document: { type, in: location, name = '' } }: Scheme): readonly string[] {
  if (type !== 'apiKey') return type === 'mutualTLS' ? [] : ['Authorization']
  return location === 'header' ? [name] : location === 'cookie' ? ['Cookie'] : []
}

/** Lets everybody call the operation: replaces the `secure` of its Blueprint or view. */
export function open(): Feature<Record<never, never>, 'secure'> {
  return {
    kind: 'secure',
    secured: false,
    on: () => [{ stage: 'access', docs: () => ({ security: [] }) }],
  }
}

function checkAlternatives(route: Route, alternatives: readonly Alternative[]): void {
  if (route.rule.parameters.some(({ name }) => name === 'principal'))
    route.fault(
      '"principal" is both a parameter of the path and the value that secure() gives to the method: give the parameter another name',
    )
  for (const { schemes } of alternatives) {
    const readers = new Map(
      schemes
        .filter(scheme => scheme.readsAuthorization)
        .map(scheme => [scheme.authenticate, scheme.name]),
    )
    if (readers.size > 1)
      route.fault(
        `${[...readers.values()].join(' and ')} cannot be sent together: a request has one Authorization field`,
      )
  }
}

/** Returns whether a scheme can be documented; reports a fault if not. */
function isSound(route: Route, { name, document, requiredScopes }: Scheme): boolean {
  const isNamed = /^[\w.-]+$/.test(name)
  if (!isNamed)
    route.fault(
      `the name of the scheme "${name}" may have letters, digits, dots, dashes and underscores`,
    )
  const isOnly = route.claim(`the security scheme ${name}`, document)
  if (!isOnly)
    route.fault(`another security scheme is called "${name}" too: give one of them another name`)
  if (requiredScopes?.length === 0)
    route.fault(`scopes() of the scheme "${name}" must have at least one scope, not none`)
  const unknown = document.flows
    ? (requiredScopes ?? []).filter(scope => !scopesOfFlows(document.flows).includes(scope))
    : []
  for (const scope of unknown)
    route.fault(`the scope "${scope}" is in none of the flows of "${name}"`)
  return isNamed && isOnly
}

function scopesOfFlows(flows: Scheme['document']['flows']): readonly string[] {
  return Object.values(flows ?? {}).flatMap(flow =>
    Object.keys((flow as { readonly scopes?: object }).scopes ?? {}),
  )
}

function describe(
  schemas: Schemas,
  { alternatives, optional, allow }: Policy,
  schemes: readonly Scheme[],
): Fragment {
  for (const { name, document } of schemes) schemas.component('securitySchemes', name, document)
  const scoped = schemes.some(({ requiredScopes = [] }) => requiredScopes.length > 0)
  const challenge = { 'WWW-Authenticate': CHALLENGE }
  return {
    security: [...alternatives.map(requirementOf), ...(optional ? [{}] : [])],
    challenges: schemes.map(scheme => scheme.challenge()),
    responses: {
      ...(schemes.some(scheme => scheme.readsAuthorization) && { 400: schemas.errorResponse(400) }),
      401: schemas.errorResponse(401, { headers: challenge }),
      ...(scoped && { 403: schemas.errorResponse(403, { headers: challenge }) }),
      ...(allow && !scoped && { 403: schemas.errorResponse(403) }),
      ...(schemes.some(scheme => scheme.mayBeUnreachable) && {
        503: schemas.errorResponse(503, { headers: { 'Retry-After': RETRY_LATER } }),
      }),
    },
  }
}

function requirementOf({ schemes }: Alternative): SecurityRequirementObject {
  const requirement: SecurityRequirementObject = {}
  for (const { name, requiredScopes = [] } of schemes)
    requirement[name] = [...new Set([...(requirement[name] ?? []), ...requiredScopes])]
  return requirement
}

const CHALLENGE = textHeader(
  'How to send credentials, one field line for each way (RFC 9110, section 11.6.1)',
)
