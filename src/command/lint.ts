// koa-smorest lint
import { isObject, type JsonObject } from '../openapi/schema/json.js'
import { annotation } from './annotation.js'
import { readDocument } from './read-document.js'
import { formatOf, type Options, type Output, UsageError } from './usage.js'

/** Something that is allowed and is rarely meant. */
interface Remark {
  readonly rule: Rule
  /** `DELETE /pets/{petId}` */
  readonly operation: string
  readonly text: string
}

const RULES = [
  'security-differs',
  'scopes-missing',
  'response-without-codec',
  'long-public-cache',
  'immutable-can-change',
  'weak-tag',
  'trailing-slash',
] as const
type Rule = (typeof RULES)[number]

/** Caches may keep what can change for less than an hour before it is remarked on. */
const LONG = 3600

export async function lintCommand(
  argument: string,
  options: Options,
  { out }: Output,
): Promise<number> {
  const format = formatOf(options.format, ['text', 'json', 'github'])
  const skipped = (options.skip ?? '').split(',').filter(Boolean)
  for (const rule of skipped)
    if (!RULES.some(name => name === rule))
      throw new UsageError(`--skip ${rule}: the rules are ${RULES.join(', ')}`)
  const document = await readDocument(argument, options)
  const remarks = lint(document).filter(({ rule }) => !skipped.includes(rule))
  if (format === 'json') out(JSON.stringify(remarks, null, 2))
  else {
    for (const { rule, operation, text } of remarks)
      out(
        format === 'text'
          ? `${operation}\n     ${text}  [${rule}]`
          : annotation('warning', argument, rule, `${operation}: ${text}`),
      )
    out(remarks.length === 1 ? '1 remark' : `${remarks.length || 'no'} remarks`)
  }
  return remarks.length > 0 ? 1 : 0
}

interface Linted {
  readonly method: string
  readonly path: string
  readonly name: string
  /** The scopes of each scheme, as alternatives; an empty alternative lets everybody in. */
  readonly security: readonly JsonObject[]
  readonly responses: readonly JsonObject[]
}

const METHODS = ['get', 'head', 'query', 'x-query', 'post', 'put', 'patch', 'delete']
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Remarks on a document of OpenAPI 3, in its order. */
export function lint(document: unknown): readonly Remark[] {
  const root = fieldsOf(document)
  const operations = Object.entries(fieldsOf(root.paths)).flatMap(([path, item]) =>
    METHODS.filter(key => isObject(fieldsOf(item)[key])).map(key =>
      operationOf(key, path, fieldsOf(fieldsOf(item)[key]), root),
    ),
  )
  return operations.flatMap(operation => {
    const others = operations.filter(one => one !== operation)
    return [
      ...lintSecurity(operation, others),
      ...lintResponses(operation),
      ...lintCaching(operation, others),
      ...lintPath(operation, operations),
    ]
  })
}

function operationOf(key: string, path: string, operation: JsonObject, root: JsonObject): Linted {
  const method = key.replace(/^x-/, '').toUpperCase()
  const { security = root.security } = operation
  return {
    method,
    path,
    name: `${method} ${path}`,
    security: Array.isArray(security) ? security.filter(isObject) : [],
    responses: Object.entries(fieldsOf(operation.responses))
      .filter(([status]) => status.startsWith('2'))
      .map(([, response]) => fieldsOf(response)),
  }
}

/** Compares the credentials of a write with those of the other writes of its resource. */
function lintSecurity(operation: Linted, others: readonly Linted[]): readonly Remark[] {
  if (!WRITES.includes(operation.method)) return []
  const writes = others.filter(({ method }) => WRITES.includes(method))
  const own = schemesOf(operation)
  const stricter = writes.find(
    one => one.path === operation.path && schemesOf(one) !== '' && schemesOf(one) !== own,
  )
  const sibling = writes.find(
    one =>
      resourceOf(one.path) === resourceOf(operation.path) &&
      scopesOf(one).some(scope => !scopesOf(operation).includes(scope)) &&
      scopesOf(operation).length === 0 &&
      schemesOf(one) === own,
  )
  return [
    ...(stricter
      ? [
          remark(
            'security-differs',
            operation,
            `asks for ${own || 'no credentials'}, ${stricter.name} for ${schemesOf(stricter)}`,
          ),
        ]
      : []),
    ...(sibling
      ? [
          remark(
            'scopes-missing',
            operation,
            `asks for no scope, ${sibling.name} for ${scopesOf(sibling).join(', ')}`,
          ),
        ]
      : []),
  ]
}

/** A collection and its items are one resource: `/pets`, `/pets/{petId}`. */
function resourceOf(path: string): string {
  return path.replace(/\/$/, '').replace(/\/\{[^/]*\}$/, '')
}

/** The schemes of all alternatives; nothing if everybody is let in. */
function schemesOf({ security }: Linted): string {
  const alternatives = security.map(one => Object.keys(one).sort().join(' and '))
  return alternatives.includes('') ? '' : alternatives.sort().join(' or ')
}

function scopesOf({ security }: Linted): readonly string[] {
  const scopes = security.flatMap(one => Object.values(one).flat())
  return [...new Set(scopes.map(String))].sort()
}

/** Finds success responses whose JSON may be anything: nothing checks or filters it. */
function lintResponses(operation: Linted): readonly Remark[] {
  const isOpen = ([type, media]: [string, unknown]) => {
    const { schema, itemSchema } = fieldsOf(media)
    return /^application\/(.+\+)?json\b/.test(type) && schema === undefined && !itemSchema
  }
  return operation.responses.some(({ content }) => Object.entries(fieldsOf(content)).some(isOpen))
    ? [
        remark(
          'response-without-codec',
          operation,
          'returns JSON that no codec describes: whatever the method returns is sent. Write response(codec)',
        ),
      ]
    : []
}

/** Finds what caches keep, and a client can change. */
function lintCaching(operation: Linted, others: readonly Linted[]): readonly Remark[] {
  const changes = others.filter(
    ({ method, path }) => path === operation.path && WRITES.includes(method) && method !== 'POST',
  )
  const change = changes[0]
  if (!change || WRITES.includes(operation.method)) return []
  const directives = directivesOf(operation)
  const age = Math.max(...['max-age', 's-maxage'].map(name => Number(directives.get(name) ?? 0)))
  const isShared = !['private', 'no-store', 'no-cache'].some(name => directives.has(name))
  const put = changes.find(({ method }) => method === 'PUT' || method === 'PATCH')
  return [
    ...(isShared && age >= LONG
      ? [
          remark(
            'long-public-cache',
            operation,
            `may be kept by shared caches for ${age} s, although ${change.name} changes it: nobody sees the change until then`,
          ),
        ]
      : []),
    ...(put && directives.has('immutable')
      ? [remark('immutable-can-change', operation, `is immutable, although ${put.name} changes it`)]
      : []),
    ...(put && operation.responses.some(({ headers }) => isWeak(headerOf(headers, 'etag')))
      ? [
          remark(
            'weak-tag',
            operation,
            `has a weak entity tag, which never matches in If-Match: ${put.name} is always a 412`,
          ),
        ]
      : []),
  ]
}

function directivesOf({ responses }: Linted): ReadonlyMap<string, string> {
  const values = responses.map(({ headers }) => fixedValue(headerOf(headers, 'cache-control')))
  const parts = values.flatMap(value => value.split(',').map(part => part.trim().toLowerCase()))
  return new Map(
    parts.filter(Boolean).map(part => {
      const [name = '', value = ''] = part.split('=')
      return [name, value]
    }),
  )
}

function headerOf(headers: unknown, name: string): JsonObject {
  const [, header] =
    Object.entries(fieldsOf(headers)).find(([other]) => other.toLowerCase() === name) ?? []
  return fieldsOf(header)
}

/** The value that a header field always has, which `cache` puts into its description. */
function fixedValue({ schema, example, description }: JsonObject): string {
  const fixed = fieldsOf(schema).const ?? example ?? /^`([^`]+)`/.exec(String(description))?.[1]
  return typeof fixed === 'string' ? fixed : ''
}

function isWeak(header: JsonObject): boolean {
  return /^weak\b/i.test(String(header.description)) || fixedValue(header).startsWith('W/')
}

/** A slash at the end of a collection makes a path that clients forget. */
function lintPath(operation: Linted, operations: readonly Linted[]): readonly Remark[] {
  const { path } = operation
  const first = operations.find(one => one.path === path)
  return path.length > 1 && path.endsWith('/') && first === operation
    ? [
        remark(
          'trailing-slash',
          operation,
          `ends with a slash: for ${path.slice(0, -1)}, write route('')`,
        ),
      ]
    : []
}

function remark(rule: Rule, { name }: Linted, text: string): Remark {
  return { rule, operation: name, text }
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
