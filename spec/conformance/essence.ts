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

/** What a schema says, the same for all versions: references followed, the three spellings of nullable made one, no formats of machines. */
export function essence(document: Json, schema: Json, depth = 0): Json {
  if (!schema || depth > DEEPEST) return schema
  if (schema.$ref) return essence(document, resolve(document, schema.$ref), depth + 1)
  if (schema.allOf?.length === 1) return essence(document, schema.allOf[0], depth)
  const types = [schema.type].flat().filter(type => type !== undefined && type !== 'null')
  const isNullable = schema.nullable || schema['x-nullable'] || [schema.type].flat().includes('null')
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(isNullable && { nullable: true }),
    ...(schema.format && !MACHINE_FORMATS.includes(schema.format) && { format: schema.format }),
    ...Object.fromEntries(KEYWORDS.filter(keyword => schema[keyword] !== undefined).map(keyword => [keyword, schema[keyword]])),
    ...(schema.required?.length && { required: [...schema.required].sort() }),
    ...(schema.items && { items: essence(document, schema.items, depth + 1) }),
    ...(schema.properties && { order: Object.keys(schema.properties), properties: essences(document, schema.properties, depth + 1) }),
  }
}

function essences(document: Json, properties: Record<string, Json>, depth: number): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, essence(document, property, depth)]))
}

/** What a local reference stands for. */
export function resolve(document: Json, reference: string): Json {
  const names = reference.split('/').slice(1)
  return names.reduce((part, name) => part?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}
