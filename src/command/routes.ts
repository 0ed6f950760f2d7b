// koa-smorest routes
import { isObject } from '../openapi/schema/json.js'
import { loadApi } from './load.js'
import { formatOf, type Options, type Output, table } from './usage.js'

interface Route {
  readonly method: string
  readonly path: string
  readonly operationId: string
  /** `open`, `key or login (pets:write)`; `-` if the application does not declare who may call. */
  readonly security: string
  readonly statuses: readonly string[]
  readonly deprecated: boolean
}

export async function routes(module: string, options: Options, { out }: Output): Promise<number> {
  const format = formatOf(options.format, ['text', 'json'])
  const api = await loadApi(module, options.export)
  const found = routesOf(JSON.parse(JSON.stringify(api.spec.toJSON('3.2.0'))))
  const rows = found.map(({ method, path, operationId, security, statuses, deprecated }) => [
    method,
    path,
    deprecated ? `${operationId} (deprecated)` : operationId,
    security,
    statuses.join(' '),
  ])
  out(
    format === 'json'
      ? JSON.stringify(found, null, 2)
      : table(['METHOD', 'PATH', 'OPERATION', 'SECURITY', 'STATUSES'], rows),
  )
  return 0
}

const METHODS = [
  'get',
  'head',
  'post',
  'put',
  'patch',
  'delete',
  'options',
  'trace',
  'query',
  'x-query',
]

function routesOf(document: { readonly [key: string]: unknown }): readonly Route[] {
  return Object.entries(fieldsOf(document.paths)).flatMap(([path, item]) => {
    const own = Object.entries(fieldsOf(item)).filter(([key]) => METHODS.includes(key))
    const others = Object.entries(fieldsOf(fieldsOf(item).additionalOperations))
    return [...own, ...others].map(([key, operation]): Route => {
      const { operationId, security, responses, deprecated } = fieldsOf(operation)
      return {
        method: key.replace(/^x-/, '').toUpperCase(),
        path,
        operationId: typeof operationId === 'string' ? operationId : '-',
        security: securityOf(security ?? document.security),
        statuses: Object.keys(fieldsOf(responses)),
        deprecated: deprecated === true,
      }
    })
  })
}

function fieldsOf(value: unknown): { readonly [key: string]: unknown } {
  return isObject(value) ? value : {}
}

function securityOf(security: unknown): string {
  if (!Array.isArray(security)) return '-'
  const scheme = ([name, scopes]: [string, unknown]) =>
    Array.isArray(scopes) && scopes.length > 0 ? `${name} (${scopes.join(', ')})` : name
  const alternatives = security.map(
    alternative => Object.entries(fieldsOf(alternative)).map(scheme).join(' and ') || 'open',
  )
  return alternatives.join(' or ') || 'open'
}
