import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'

/** A codec of io-ts-types: known by its name, if it also does to `sample` what the codec of that name does. */
interface Known {
  readonly schema: SchemaObject
  readonly sample: unknown
  readonly result: unknown
}

const TEXT: SchemaObject = { type: 'string' }
const UUID_SAMPLE = '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d'
const DATE_SAMPLE = '2020-02-03T04:05:06.000Z'

const KNOWN = new Map<string, Known>([
  ['BigIntFromString', { schema: TEXT, sample: '1', result: 1n }],
  ['BooleanFromNumber', { schema: { type: 'number' }, sample: 1, result: true }],
  [
    'BooleanFromString',
    { schema: { type: 'string', enum: ['true', 'false'] }, sample: 'true', result: true },
  ],
  [
    'DateFromISOString',
    {
      schema: { type: 'string', format: 'date-time' },
      sample: DATE_SAMPLE,
      result: new Date(DATE_SAMPLE),
    },
  ],
  ['DateFromNumber', { schema: { type: 'number' }, sample: 1000, result: new Date(1000) }],
  ['DateFromUnixTime', { schema: { type: 'integer' }, sample: 1, result: new Date(1000) }],
  ['IntFromString', { schema: TEXT, sample: '1', result: 1 }],
  ['NonEmptyString', { schema: { minLength: 1 }, sample: 'a', result: 'a' }],
  ['NumberFromString', { schema: TEXT, sample: '1', result: 1 }],
  ['UUID', { schema: { format: 'uuid' }, sample: UUID_SAMPLE, result: UUID_SAMPLE }],
])

/** What a codec of io-ts-types has on the wire; undefined for a codec that is not one of those. */
export function schemaOfForeign(codec: t.Mixed): SchemaObject | undefined {
  const known = KNOWN.get(codec.name)
  return known && behavesAs(known, codec) ? known.schema : undefined
}

function behavesAs({ sample, result }: Known, codec: t.Mixed): boolean {
  try {
    const decoded = codec.decode(sample)
    const refuses = codec.decode('')._tag === 'Left' && codec.decode({})._tag === 'Left'
    return (
      refuses &&
      decoded._tag === 'Right' &&
      typeof decoded.right === typeof result &&
      String(decoded.right) === String(result)
    )
  } catch {
    return false
  }
}
