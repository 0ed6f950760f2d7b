/** Any part of a document. */
// documents of three versions, of which each check reads what it is about
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any

const KEYWORDS = [
  'enum',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'readOnly',
  'writeOnly',
  'description',
]
const MACHINE_FORMATS = ['int32', 'int64', 'float', 'double']
const DEEPEST = 6

/**
 * The range of whole numbers that a double holds exactly: beyond it a decoder of JavaScript refuses
 * them anyway.
 */
const SAFE: Json = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/**
 * What a schema describes: the same thing has another schema where it is sent and where it is
 * accepted.
 */
export type Use = 'request' | 'response' | 'either'

/**
 * What a schema says, the same for all versions: references followed, the three spellings of
 * nullable made one, no formats of machines. Of a request, read-only fields do not count; of a
 * response, whether fields with a default are required does not.
 */
export function essence(document: Json, schema: Json, use: Use = 'either', depth = 0): Json {
  if (!schema || depth > DEEPEST) return schema
  if (schema.$ref) return essence(document, resolve(document, schema.$ref), use, depth + 1)
  if (schema.allOf?.length === 1) return essence(document, schema.allOf[0], use, depth)
  const types = [schema.type].flat().filter(type => type !== undefined && type !== 'null')
  const isNullable =
    schema.nullable || schema['x-nullable'] || [schema.type].flat().includes('null')
  const said = KEYWORDS.filter(
    keyword => schema[keyword] !== undefined && schema[keyword] !== SAFE[keyword],
  )
  const properties = Object.entries<Json>(schema.properties ?? {}).filter(
    ([, property]) => !(use === 'request' && property.readOnly),
  )
  const required = requiredOf(schema, use)
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(isNullable && { nullable: true }),
    ...(schema.format && !MACHINE_FORMATS.includes(schema.format) && { format: schema.format }),
    ...Object.fromEntries(said.map(keyword => [keyword, schema[keyword]])),
    ...(required.length > 0 && { required }),
    ...(schema.items && { items: essence(document, schema.items, use, depth + 1) }),
    ...(schema.properties && {
      order: properties.map(([name]) => name),
      properties: Object.fromEntries(
        properties.map(([name, property]) => [name, essence(document, property, use, depth + 1)]),
      ),
    }),
  }
}

function requiredOf({ required = [], properties = {} }: Json, use: Use): string[] {
  const counts = (name: string) => {
    const property = properties[name] ?? {}
    return (
      !(use === 'request' && property.readOnly) && !(use === 'response' && 'default' in property)
    )
  }
  return required.filter(counts).sort()
}

/** What a local reference stands for. */
export function resolve(document: Json, reference: string): Json {
  const names = reference.split('/').slice(1)
  return names.reduce(
    (part, name) => part?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
}
