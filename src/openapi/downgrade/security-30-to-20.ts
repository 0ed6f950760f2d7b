import { isObject, type JsonObject, pick } from '../schema/json.js'

/** The flows of OAuth 2, as 2.0 calls them. */
const FLOWS = { implicit: 'implicit', password: 'password', clientCredentials: 'application', authorizationCode: 'accessCode' }

/** A security scheme of 2.0, which knows basic authentication, keys and one OAuth flow; any other is a key in the header that it uses. */
export function securityScheme30To20(scheme: unknown): unknown {
  if (!isObject(scheme)) return scheme
  const rest = pick(scheme, ['description'])
  if (scheme.type === 'apiKey' && scheme.in !== 'cookie') return scheme
  if (scheme.type === 'apiKey') return { ...rest, type: 'apiKey', in: 'header', name: 'Cookie' }
  if (scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'basic') return { ...rest, type: 'basic' }
  if (scheme.type === 'oauth2' && isObject(scheme.flows)) return { ...rest, type: 'oauth2', ...flow30To20(scheme.flows) }
  return { ...rest, type: 'apiKey', in: 'header', name: 'Authorization' }
}

/** The first flow: 2.0 has room for one. */
function flow30To20(flows: JsonObject): JsonObject {
  const entry = Object.entries(FLOWS).find(([name]) => isObject(flows[name]))
  if (!entry) return {}
  const [name, flow] = entry
  return { flow, scopes: {}, ...pick(flows[name] as JsonObject, ['authorizationUrl', 'tokenUrl', 'scopes']) }
}
