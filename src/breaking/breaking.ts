import type { OpenAPIObject as Document31 } from 'openapi3-ts/oas31'
import type { OpenAPIObject as Document32 } from 'openapi3-ts/oas32'
import { document31To30 } from '../openapi/downgrade/document-31-to-30.js'
import { document32To31 } from '../openapi/downgrade/document-32-to-31.js'
import { isObject, type JsonObject } from '../openapi/schema/json.js'
import { change } from './change.js'
import { at, type Found, OperationComparison } from './compare-operations.js'
import { SchemaComparison } from './compare-schemas.js'
import { type Operation, operationsOf, webhooksOf } from './operations.js'
import { DocumentError, References } from './references.js'
import { type Level, levelOf, momentOf, type RuleId } from './rules.js'
import { Schemas } from './schemas.js'
import { schemesOf } from './security.js'
import { isOver } from './sunsets.js'

/** A change that may break clients. */
export interface Finding {
  readonly rule: RuleId
  readonly level: Exclude<Level, 'OK'>
  /** `GET /pets/{petId}`; undefined if it belongs to no operation. */
  readonly operation: string | undefined
  /** The place in the operation: `response 200 application/json`, `query parameter "kind"`. */
  readonly where: string
  /** The place in the schema, from the innermost component on: `Pet.owner.name`. */
  readonly at: string
  readonly text: string
}

/**
 * Finds the changes between two documents of OpenAPI 3 that may break clients of the first. Order
 * does not count, nor the notation of a version; an operation whose sunset has passed at `today`
 * may be gone.
 */
export function breaking(
  before: unknown,
  after: unknown,
  { today = Date.now() }: { readonly today?: number } = {},
): readonly Finding[] {
  const [old, now, is30] = inOneVersion(checked(before), checked(after))
  const [first, second] = [new References(old), new References(now)]
  const schemas = new SchemaComparison(new Schemas(first, is30), new Schemas(second, is30), today)
  const schemes = schemesOf(old, now, [first, second])
  const comparison = new OperationComparison(schemas, schemes, today)
  const compareAll = (
    before: readonly Operation[],
    after: readonly Operation[],
    judge: OperationComparison,
  ): readonly ReturnType<typeof findingOf>[] =>
    before.flatMap(operation => {
      const other =
        after.find(({ name }) => name === operation.name) ??
        after.find(({ place }) => place === operation.place)
      const changes = other ? judge.compare(operation, other) : [removed(operation, today)]
      return [
        ...changes.map(one => findingOf(one, operation.name)),
        ...(other ? compareAll(operation.callbacks, other.callbacks, judge.turned()) : []),
      ]
    })
  const operations = operationsOf(old, first)
  const found = [
    ...compareAll(operations, operationsOf(now, second), comparison),
    ...compareAll(webhooksOf(old, first), webhooksOf(now, second), comparison.turned()),
  ]
  const used = new Set(
    operations.flatMap(({ security }) => security.flatMap(alternative => [...alternative.keys()])),
  )
  const general = [
    ...serversOf(old)
      .filter(url => !serversOf(now).includes(url))
      .map(url => at('servers', change('server-removed', `${url} is gone`))),
    ...schemes.changes
      .filter(({ scheme }) => used.has(scheme))
      .map(({ scheme, change: one }) => at(`security scheme "${scheme}"`, one)),
  ]
  return [...general.map(one => findingOf(one, undefined)), ...found].filter(
    (finding): finding is Finding => finding.level !== 'OK',
  )
}

function findingOf(
  { change: { rule, text, at: place, way: ownWay }, where, way }: Found,
  operation: string | undefined,
): Finding | { level: 'OK' } {
  const level = levelOf(rule, ownWay ?? way)
  return level === 'OK' ? { level } : { rule, level, operation, where, at: place, text }
}

function removed(operation: Operation, today: number): Found {
  const { deprecated, sunset } = operation
  if (isOver(operation, today))
    return at(
      '',
      change('operation-removed-after-sunset', `is gone, as announced: x-sunset was ${sunset}`),
    )
  const text = !deprecated
    ? 'is gone, and was not deprecated before'
    : momentOf(sunset) === undefined
      ? 'is gone, and was deprecated without x-sunset, the day from which it may be'
      : `is gone before its time: x-sunset was ${sunset}`
  return at('', change('operation-removed', text))
}

function serversOf({ servers }: JsonObject): readonly string[] {
  return Array.isArray(servers) ? servers.filter(isObject).map(({ url }) => String(url)) : []
}

function checked(document: unknown): JsonObject {
  if (!isObject(document)) throw new DocumentError('is not an OpenAPI document')
  if (document.swagger !== undefined)
    throw new DocumentError(
      'is of OpenAPI 2.0: print it in 3.0.3, or convert it, with `npx swagger2openapi` for one',
    )
  if (typeof document.openapi !== 'string')
    throw new DocumentError('is not an OpenAPI document: it has no "openapi"')
  if (!/^3\.[012]\./.test(document.openapi))
    throw new DocumentError(`is of OpenAPI ${document.openapi}; 3.0, 3.1 and 3.2 can be compared`)
  return document
}

/**
 * Both documents in the older of their versions, which can express less; and whether that is 3.0.
 */
function inOneVersion(
  before: JsonObject,
  after: JsonObject,
): readonly [JsonObject, JsonObject, boolean] {
  const minor = ({ openapi }: JsonObject) => Number(String(openapi)[2])
  const target = Math.min(minor(before), minor(after))
  const lowered = (document: JsonObject) => {
    const in31 =
      minor(document) === 2 && target < 2
        ? document32To31(document as unknown as Document32)
        : document
    const lower =
      minor(document) > 0 && target === 0 ? document31To30(in31 as unknown as Document31) : in31
    return lower as unknown as JsonObject
  }
  return [lowered(before), lowered(after), target === 0]
}
