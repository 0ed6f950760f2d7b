import type { SchemaObject } from 'openapi3-ts/oas31'
import { defined } from '../../options.js'

/**
 * Converts a path segment to a value, and takes part in matching: a string that it refuses does not
 * match. `schema` documents the parameter (a string without it).
 */
export interface Converter<Value = unknown> {
  /** Converts a decoded, non-empty string; `undefined` refuses it. */
  parse(text: string): Value | undefined
  /** Formats a value, for building paths; `String(value)` without it. */
  format?(value: Value): string
  readonly schema?: SchemaObject
  /** Takes all that is left of the path, slashes included. Only the last segment of a rule may. */
  readonly rest?: boolean
}

/**
 * The options between the parentheses of `any(red, green)` or `int(min=5)`, as written, without the
 * blanks around them.
 */
export interface ConverterOptions {
  readonly values: readonly string[]
  readonly named: ReadonlyMap<string, string>
}

/** Whether a value can be used as a converter. */
export function isConverter(value: unknown): value is Converter {
  return typeof (value as Converter | undefined | null)?.parse === 'function'
}

/**
 * Makes the converter for one parameter. An error that it throws for bad options is shown with the
 * rule.
 */
export type ConverterFactory = (options: ConverterOptions) => Converter

/**
 * The value type of every converter, by name. An application adds its own by augmenting this
 * interface.
 */
export interface Converters {
  string: string
  int: number
  float: number
  uuid: string
  any: string
  path: string
}

type OptionReader = (text: string) => unknown
type Read<Readers extends Record<string, OptionReader>> = {
  readonly [Name in keyof Readers]?: ReturnType<Readers[Name]>
}

function namedOptions<Readers extends Record<string, OptionReader>>(
  options: ConverterOptions,
  readers: Readers,
): Read<Readers> {
  const known = Object.keys(readers).join(', ')
  if (options.values.length > 0)
    throw new Error(`"${options.values[0]}" is not an option: the options are ${known}`)
  const read: Record<string, unknown> = {}
  for (const [name, text] of options.named) {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (reader === undefined)
      throw new Error(`there is no option "${name}", the options are ${known}`)
    read[name] = reader(text)
    if (read[name] === undefined)
      throw new Error(`"${text}" is not a value for the option "${name}"`)
  }
  return read as Read<Readers>
}

const readNumber = (text: string) =>
  /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : undefined
const readCount = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)
const readFlag = (text: string) =>
  text === 'true' || text === 'false' ? text === 'true' : undefined

function string(options: ConverterOptions): Converter<string> {
  const {
    length,
    minlength = length ?? 1,
    maxlength = length,
  } = namedOptions(options, {
    length: readCount,
    minlength: readCount,
    maxlength: readCount,
  })
  if (maxlength !== undefined && minlength > maxlength)
    throw new Error('no string is that short and that long')
  const bounded = minlength > 1 || maxlength !== undefined
  const fits = (count: number) => count >= minlength && count <= (maxlength ?? count)
  return {
    parse: text => (!bounded || fits([...text].length) ? text : undefined),
    schema: {
      type: 'string',
      minLength: minlength,
      ...defined({ maxLength: maxlength }),
    },
  }
}

/** Beyond it a whole number is not exact, so that no path has it. */
const SAFE_RANGE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

function numeric(
  type: 'integer' | 'number',
  fraction: string,
  options: ConverterOptions,
): Converter<number> {
  const {
    signed = false,
    min,
    max,
  } = namedOptions(options, { signed: readFlag, min: readNumber, max: readNumber })
  const least = signed ? min : Math.max(0, min ?? 0)
  if (least !== undefined && max !== undefined && least > max) throw new Error('min is above max')
  const written = new RegExp(`^${signed ? '-?' : ''}\\d+${fraction}$`)
  const inRange = type === 'integer' ? Number.isSafeInteger : Number.isFinite
  return {
    parse: text => {
      if (!written.test(text)) return undefined
      const value = Number(text) + 0 // -0 becomes 0
      return inRange(value) && value >= (least ?? value) && value <= (max ?? value)
        ? value
        : undefined
    },
    format: value =>
      type === 'number' && Number.isInteger(value) ? value.toFixed(1) : String(value),
    schema: {
      type,
      ...(type === 'integer' && SAFE_RANGE),
      ...defined({ minimum: least, maximum: max }),
    },
  }
}

function uuid(options: ConverterOptions): Converter<string> {
  namedOptions(options, {})
  const written = /^[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}$/
  return {
    parse: text => (written.test(text) ? text.toLowerCase() : undefined),
    schema: { type: 'string', format: 'uuid' },
  }
}

function any({ values, named }: ConverterOptions): Converter<string> {
  if (values.length === 0 || named.size > 0)
    throw new Error('name the values, as in any(red, green)')
  const choices = new Set(values)
  return {
    parse: text => (choices.has(text) ? text : undefined),
    schema: { type: 'string', enum: [...choices] },
  }
}

function path(options: ConverterOptions): Converter<string> {
  namedOptions(options, {})
  return { parse: text => text, rest: true, schema: { type: 'string', minLength: 1 } }
}

/**
 * The converters that every application has, as Flask's: `string` (length, minlength, maxlength),
 * `int` and `float` (signed, min, max; digits only, the safe range), `uuid` (any case, the value in
 * lower case), `any(a, b)` and `path`.
 */
export const builtInConverters: ReadonlyMap<string, ConverterFactory> = new Map<
  string,
  ConverterFactory
>([
  ['string', string],
  ['int', options => numeric('integer', '', options)],
  ['float', options => numeric('number', '\\.\\d+', options)],
  ['uuid', uuid],
  ['any', any],
  ['path', path],
])
