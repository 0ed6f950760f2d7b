// Errors that the compiler would have found: programs without types get them at the call, not at
// the first request. Called by Blueprint and Api.
import { isCodec, requireCodec } from '../codec/shape/annotations.js'
import { isConverter } from '../http/routing/converter.js'
import { optionsIn } from '../names.js'

/** A converter, or a function that makes one, under a name that a rule can contain. */
export function checkConverter(name: unknown, converter: unknown): void {
  if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name))
    throw new TypeError(
      `registerConverter() takes a name of letters, digits and _ first, not ${nameOf(name)}`,
    )
  if (typeof converter !== 'function' && !isConverter(converter))
    throw new TypeError(
      `registerConverter("${name}", …) takes a converter, { parse: text => … }, or a function that makes one, not ${nameOf(converter)}`,
    )
}

/** A codec, and a type of JSON Schema or another codec. */
export function checkField(codec: unknown, type: unknown, format: unknown): void {
  requireCodec('registerField() takes', codec)
  if (!isCodec(type) && !SCHEMA_TYPES.includes(type as string))
    throw new TypeError(
      `registerField(codec, …) takes one of ${SCHEMA_TYPES.join(', ')} or another codec second, not ${nameOf(type)}`,
    )
  if (format !== null && typeof format !== 'string')
    throw new TypeError(
      `registerField(codec, type, format): the format must be a string or null, not ${nameOf(format)}`,
    )
}

const SCHEMA_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

/** Root attributes of the document, and plugins. */
export function checkSpecOptions(options: unknown): void {
  if (optionsIn(options as object) !== options)
    throw new TypeError(
      `new Api(app, settings, options): options must be an object, not ${nameOf(options)}`,
    )
  const { extraPlugins = [] } = options as { extraPlugins?: unknown }
  if (!Array.isArray(extraPlugins))
    throw new TypeError(
      `new Api(app, settings, options): extraPlugins must be a list, not ${nameOf(extraPlugins)}`,
    )
}

/** A rule is a string; it is parsed when the Blueprint is registered. */
export function checkRule(verb: string, rule: unknown): void {
  if (typeof rule !== 'string')
    throw new TypeError(`${verb}() takes a rule such as "/pets" first, not ${nameOf(rule)}`)
}

/** A function view: what `operation()` returned, then a function. */
export function checkFunctionView(
  verb: string,
  rule: string,
  view: { readonly operation: unknown; readonly call: unknown },
): void {
  const { operation, call } = view
  if (!Array.isArray((operation as { features?: unknown } | undefined)?.features)) {
    const instead =
      verb === 'route'
        ? 'a class of methods or what operation(…) returns'
        : 'what operation(…) returns'
    throw new TypeError(`${verb}("${rule}", …) takes ${instead} second, not ${nameOf(operation)}`)
  }
  if (typeof call !== 'function')
    throw new TypeError(
      `${verb}("${rule}", …) takes a function behind operation(…), not ${nameOf(call)}`,
    )
}

/** A Blueprint, of whichever copy of this package. */
export function checkBlueprint(blueprint: unknown): void {
  if (Array.isArray((blueprint as { declarations?: unknown } | undefined)?.declarations)) return
  throw new TypeError(
    `registerBlueprint() takes a Blueprint, such as new Blueprint('pets'), not ${nameOf(blueprint)}`,
  )
}

function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : value.name
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const name = Object.getPrototypeOf(value)?.constructor?.name
  return name === undefined || name === 'Object' ? 'an object' : `an instance of ${name}`
}
