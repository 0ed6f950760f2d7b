import { isObject, type JsonObject, mapValues, pick } from '../schema/json.js'
import type { Resolve } from './objects.js'

/** The flows of OAuth 2, as 2.0 calls them. */
const FLOWS = {
  implicit: 'implicit',
  password: 'password',
  clientCredentials: 'application',
  authorizationCode: 'accessCode',
}

/**
 * A security scheme of 2.0, which knows basic authentication, keys and one OAuth flow; any other is
 * a key in the header that it uses.
 */
export function securityScheme30To20(scheme: unknown): unknown {
  if (!isObject(scheme)) return scheme
  const rest = pick(scheme, ['description'])
  if (scheme.type === 'apiKey' && scheme.in !== 'cookie') return scheme
  if (scheme.type === 'apiKey') return { ...rest, type: 'apiKey', in: 'header', name: 'Cookie' }
  if (scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'basic')
    return { ...rest, type: 'basic' }
  const flow = scheme.type === 'oauth2' ? flow30To20(scheme.flows) : undefined
  if (flow) return { ...rest, type: 'oauth2', ...flow }
  return { ...rest, type: 'apiKey', in: 'header', name: 'Authorization' }
}

/** The first flow: 2.0 has room for one. */
function flow30To20(flows: unknown): JsonObject | undefined {
  const known = isObject(flows) ? flows : {}
  const entry = Object.entries(FLOWS).find(([name]) => isObject(known[name]))
  if (!entry) return undefined
  const [name, flow] = entry
  return {
    flow,
    scopes: {},
    ...pick(known[name] as JsonObject, ['authorizationUrl', 'tokenUrl', 'scopes']),
  }
}

/** Requirements of 2.0: only what is OAuth there has scopes. */
export function security30To20(security: unknown, resolve: Resolve): unknown {
  if (!Array.isArray(security)) return security
  const scopes = (given: unknown, name: string) => {
    const scheme = securityScheme30To20(resolve(`#/components/securitySchemes/${name}`))
    return isObject(scheme) && scheme.type === 'oauth2' ? given : []
  }
  return security.map(requirement => mapValues(requirement, scopes))
}
