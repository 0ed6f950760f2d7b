import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  TagObject,
} from 'openapi3-ts/oas32'
import { deepMerge, type JsonObject, METHODS } from '../schema/json.js'
import type { Schemas } from '../schema/schemas.js'
import { describeOperation, mergeParameters, type OperationDescription } from './fragment.js'
import { withoutUnused } from './unused.js'

/** The sources of a document. */
export interface DocumentInput {
  readonly title: string
  readonly version: string
  /**
   * In the order of the document: paths by their first operation, the methods of a path as they
   * come.
   */
  readonly operations: readonly OperationDescription[]
  /** By name. */
  readonly webhooks?: ReadonlyMap<string, PathItemObject>
  readonly tags: readonly TagObject[]
  readonly schemas: Schemas
  /** Root attributes, merged in at every depth; tags are merged by their names. */
  readonly attributes?: JsonObject
}

/**
 * The whole document, OpenAPI 3.2.0: a new JSON value, which shares nothing with what it was made
 * of. Registration has checked that operationIds and paths are unique.
 */
export function document({
  title,
  version,
  operations,
  webhooks = new Map(),
  tags,
  schemas,
  attributes = {},
}: DocumentInput): OpenAPIObject {
  const paths = describePaths(operations, schemas)
  const announced = Object.fromEntries(webhooks)
  const used = usedTags(tags, [paths, announced], attributes)
  const whole = deepMerge(
    {
      openapi: '3.2.0',
      info: { title, version },
      tags: used,
      paths,
      ...(webhooks.size > 0 && { webhooks: announced }),
      components: schemas.components,
    },
    { ...attributes, tags: mergeTags(used, attributes.tags) },
  )
  const copy = JSON.parse(JSON.stringify(whole))
  if (schemas.renames.size > 0) renameIn(copy, schemas.renames)
  return withoutUnused(copy, schemas.automatic) as unknown as OpenAPIObject
}

/** Replaces strings at any depth, in place. */
function renameIn(value: { [key: string]: unknown }, renames: ReadonlyMap<string, string>): void {
  for (const [key, part] of Object.entries(value)) {
    if (typeof part === 'string') {
      const renamed = renames.get(part)
      if (renamed !== undefined) value[key] = renamed
    } else if (typeof part === 'object' && part !== null)
      renameIn(part as { [key: string]: unknown }, renames)
  }
}

/**
 * The tags of Blueprints that the document needs: those of an operation, and those that the
 * application describes itself or puts other tags below (`parent`, OpenAPI 3.2).
 */
function usedTags(
  tags: readonly TagObject[],
  own: readonly JsonObject[],
  laidOver: JsonObject,
): TagObject[] {
  const places = [...own, laidOver.paths, laidOver.webhooks] as OpenAPIObject['paths'][]
  const used = new Set<unknown>(places.flatMap(place => [...tagsOf(place).keys()]))
  const more = Array.isArray(laidOver.tags) ? (laidOver.tags as TagObject[]) : []
  for (const { name, parent } of more as (TagObject & { parent?: string })[])
    used.add(name).add(parent)
  return tags.filter(({ name }) => used.has(name))
}

function mergeTags(tags: readonly TagObject[], more: unknown): TagObject[] {
  const merged = new Map(tags.map(tag => [tag.name, tag]))
  for (const tag of Array.isArray(more) ? (more as TagObject[]) : [])
    merged.set(tag.name, { ...merged.get(tag.name), ...tag })
  return [...merged.values()]
}

/**
 * Tags of operations that the document does not list, each with the first operation that has it.
 */
export function unlistedTags({
  tags = [],
  paths,
  webhooks,
}: OpenAPIObject): ReadonlyMap<string, string> {
  const listed = new Set(tags.map(({ name }) => name))
  return new Map([...tagsOf(webhooks), ...tagsOf(paths)].filter(([name]) => !listed.has(name)))
}

/** The tags of all operations, each with the first operation that has it. */
function tagsOf(paths: OpenAPIObject['paths'] = {}): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [path, { additionalOperations, ...item }] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries({ ...item, ...additionalOperations })) {
      const { tags: names = [] } = operation as Partial<OperationObject>
      for (const name of names)
        if (!found.has(name)) found.set(name, `${method.toUpperCase()} ${path}`)
    }
  }
  return found
}

interface Path {
  parameters: readonly (ParameterObject | ReferenceObject)[]
  readonly operations: Map<string, OperationObject>
}

function describePaths(operations: readonly OperationDescription[], schemas: Schemas): JsonObject {
  const paths = new Map<string, Path>()
  for (const description of operations) {
    const { method, path, pathParameters, fragment } = description
    if (fragment.hidden) continue
    const operation = describeOperation(description, schemas)
    const item = paths.get(path) ?? { parameters: [], operations: new Map() }
    item.parameters = mergeParameters(item.parameters, pathParameters)
    item.operations.set(method.toLowerCase(), operation)
    paths.set(path, item)
  }
  const items = [...paths].map(([path, { parameters, operations }]) => {
    const [own, others] = [true, false].map(wanted =>
      [...operations].filter(([method]) => METHODS.includes(method) === wanted),
    )
    const additional = Object.fromEntries(
      (others ?? []).map(([method, operation]) => [method.toUpperCase(), operation]),
    )
    return [
      path,
      {
        ...(parameters.length > 0 && { parameters }),
        ...Object.fromEntries(own ?? []),
        ...(others?.length && { additionalOperations: additional }),
      },
    ]
  })
  return Object.fromEntries(items)
}
