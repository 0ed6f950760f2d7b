import { shown } from '../../names.js'
import {
  builtInConverters,
  type Converter,
  type ConverterFactory,
  type ConverterOptions,
  type Converters,
  isConverter,
} from './converter.js'

export {
  builtInConverters,
  type Converter,
  type ConverterFactory,
  type ConverterOptions,
  type Converters,
}

/** A path rule, read: `/shops/:shopId<int>/pets/:petId`. One slash at its end has no meaning for matching. */
export interface Rule {
  /** As written. */
  readonly text: string
  /** In order: a string is the decoded text of a literal segment. */
  readonly segments: readonly (string | RuleParameter)[]
  readonly parameters: readonly RuleParameter[]
  /** The path template of an OpenAPI document: `/shops/{shopId}/pets/{petId}`. */
  readonly template: string
  /** The path for @koa/router (path-to-regexp 8): `/shops/:shopId/pets/:petId`. */
  readonly routerPath: string
}

/** One parameter of a rule; `type` is its converter as written, without blanks: `int(min=5)`, or `string`. */
export interface RuleParameter {
  readonly name: string
  readonly type: string
  readonly converter: Converter
}

/** A rule that cannot be one: the message says what is wrong and what to write. */
export class RuleError extends Error {
  override readonly name = 'RuleError'
}

type Trim<Text extends string> = Text extends ` ${infer Rest}`
  ? Trim<Rest>
  : Text extends `${infer Rest} `
    ? Trim<Rest>
    : Text
type Choice<List extends string> = List extends `${infer First},${infer Rest}`
  ? Trim<First> | Choice<Rest>
  : Trim<List>
type NamedValue<Name extends string> = Name extends keyof Converters ? Converters[Name] : unknown
type ValueOf<Type extends string> = Type extends `any(${infer List})`
  ? Choice<List>
  : Type extends `${infer Name}(${string}`
    ? NamedValue<Trim<Name>>
    : NamedValue<Trim<Type>>
type ParameterOf<Segment extends string> = Segment extends `:${infer Name}<${infer Type}>`
  ? { name: Name; value: ValueOf<Type> }
  : Segment extends `:${infer Name}`
    ? { name: Name; value: string }
    : never
type ParameterIn<Text extends string> = string extends Text
  ? { name: string; value: unknown }
  : Text extends `${infer Segment}/${infer Rest}`
    ? ParameterOf<Segment> | ParameterIn<Rest>
    : ParameterOf<Text>

/**
 * The named values that a rule gives: `'/:petId<int>'` gives `{ petId: number }`, a rule without parameters `{}`, and a
 * rule that is not known at compile time `{ [name: string]: unknown }`.
 */
export type ParametersOf<Text extends string> = {
  [Parameter in ParameterIn<Text> as Parameter['name']]: Parameter['value']
}

const PARAMETER = /^:([A-Za-z_]\w*)(?:<([^<>]*)>)?$/
const CONVERTER = /^\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\)\s*)?$/
// What most segments are: the next expression is exact, and slow.
const PLAIN = /^[\w-]+$/
// What is neither reserved (RFC 3986, section 2.2) with a meaning here nor impossible in a path.
const LITERAL = /^[^\s\p{Cc}\p{Cs}:?#%{}()[\]<>*"\\^`|]+$/u

/** Reads a rule. Throws a RuleError, with a sentence that says what to write instead. */
export function parseRule(
  text: string,
  converters: ReadonlyMap<string, ConverterFactory> = builtInConverters,
): Rule {
  if (!text.startsWith('/')) throw new RuleError(`Rule "${text}": it must start with a slash`)
  const end = text.endsWith('/') && text.length > 1 ? '/' : ''
  const parts = text === '/' ? [] : text.slice(1, text.length - end.length).split('/')
  const segments = parts.map(part => {
    try {
      return segmentOf(part, converters)
    } catch (error) {
      throw new RuleError(`Rule "${text}": ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    }
  })
  const parameters = segments.filter(segment => typeof segment !== 'string')
  for (const [index, parameter] of parameters.entries()) {
    if (parameters.findIndex(other => other.name === parameter.name) < index) {
      throw new RuleError(`Rule "${text}": two parameters are called "${parameter.name}"`)
    }
    if (parameter.converter.rest && parameter !== segments.at(-1)) {
      throw new RuleError(
        `Rule "${text}": "${parameter.name}" takes the rest of the path, so nothing can stand after it`,
      )
    }
  }
  const write = (
    parameterText: (parameter: RuleParameter) => string,
    literalText: (literal: string) => string,
  ) =>
    segments
      .map(
        segment =>
          `/${typeof segment === 'string' ? literalText(segment) : parameterText(segment)}`,
      )
      .join('') + end || '/'
  return {
    text,
    segments,
    parameters,
    template: write(({ name }) => `{${name}}`, encodeURI),
    routerPath: write(
      ({ name, converter }) => (converter.rest ? `*${name}` : `:${name}`),
      literal => encodeURI(literal).replace(/[+!]/g, '\\$&'),
    ),
  }
}

/**
 * Whether every path of the second rule is one of the first, as far as can be told from their segments: converters of one name and
 * options are the same, and plain `string` and `path` take what any other takes.
 */
export function coversRule(first: Rule, second: Rule): boolean {
  for (const [index, segment] of first.segments.entries()) {
    const other = second.segments[index]
    if (other === undefined || !coversSegment(segment, other)) return false
    if (typeof segment !== 'string' && segment.converter.rest) return true
  }
  return first.segments.length === second.segments.length
}

function coversSegment(first: string | RuleParameter, second: string | RuleParameter): boolean {
  if (typeof first === 'string') return first === second
  if (first.type === 'path') return true
  if (typeof second === 'string')
    return !first.converter.rest && first.converter.parse(second) !== undefined
  return first.type === second.type || (first.type === 'string' && !second.converter.rest)
}

function segmentOf(
  part: string,
  converters: ReadonlyMap<string, ConverterFactory>,
): string | RuleParameter {
  const [, name, written = 'string'] = PARAMETER.exec(part) ?? []
  if (name === undefined) {
    if (!PLAIN.test(part) && (!LITERAL.test(part) || part === '.' || part === '..'))
      throw new Error(whatIsWrong(part))
    return part
  }
  if (name === '__proto__') throw new Error('a parameter cannot be called "__proto__"')
  const [, converterName = '', optionText] = CONVERTER.exec(written) ?? []
  const factory = converters.get(converterName)
  if (factory === undefined) {
    throw new Error(
      `there is no converter "${written}", there are ${[...converters.keys()].join(', ')}`,
    )
  }
  const converter: unknown = factory(optionsOf(optionText))
  if (!isConverter(converter))
    throw new Error(
      `what makes the converter "${converterName}" returns { parse: text => … }, not ${shown(converter)}`,
    )
  return { name, type: written.replace(/\s*([(),=]|^|$)\s*/g, '$1'), converter }
}

function optionsOf(text: string | undefined): ConverterOptions {
  const values: string[] = []
  const named = new Map<string, string>()
  for (const option of text?.trim() ? text.split(',') : []) {
    const [left = '', right, ...more] = option.split('=').map(side => side.trim())
    if (left === '' || right === '' || more.length > 0)
      throw new Error(`"${option.trim()}" is no option, write value or name=value`)
    if (named.has(left)) throw new Error(`the option "${left}" is given twice`)
    if (right === undefined) values.push(left)
    else named.set(left, right)
  }
  return { values, named }
}

function whatIsWrong(part: string): string {
  if (part === '') return 'two slashes follow each other'
  const [, openApi] = /^\{(\w+)\}$/.exec(part) ?? []
  if (openApi) return `write ":${openApi}" for "${part}"`
  const [, converter, flask] = /^<(?:([^:]+):)?(\w+)>$/.exec(part) ?? []
  if (flask) return `write ":${flask}${converter ? `<${converter}>` : ''}" for "${part}"`
  const [, name] = /^:(\w+)(?:\(.+\)|[?*+])+$/.exec(part) ?? []
  if (name)
    return `"${part}" is a regular expression or a modifier, name a converter instead, as in ":${name}<int>" or ":${name}<path>"`
  if (part.includes(':'))
    return `in "${part}", a parameter must be the whole segment, as in ":name" or ":name<converter>"`
  if (part.includes('%'))
    return `write "${part}" without percent-encoding, rules are matched decoded`
  return `"${part}" cannot be a segment: a parameter is written ":name" or ":name<converter>", other text stands for itself`
}

/** The path, percent-encoded, that the rule matches with these values. Throws a RangeError for a value that its converter refuses. */
export function ruleToPath(rule: Rule, values: { readonly [name: string]: unknown }): string {
  let path = ''
  for (const segment of rule.segments) {
    if (typeof segment === 'string') {
      path += `/${encodeURI(segment)}`
      continue
    }
    const { name, converter } = segment
    const value = values[name]
    const text = value === undefined ? '' : (converter.format?.(value) ?? String(value))
    const parts = converter.rest ? text.split('/') : [text]
    if (parts.some(isUnsendable) || converter.parse(text) === undefined) {
      throw new RangeError(`Rule "${rule.text}" cannot have ${name}: ${value}`)
    }
    path += parts.map(part => `/${encodeURIComponent(part)}`).join('')
  }
  return rule.text.endsWith('/') ? `${path}/` : path
}

/** An empty segment matches nothing but at the end of a rest, and clients resolve dot segments, encoded or not (WHATWG URL, section 4.4). */
function isUnsendable(segment: string, index: number, { length }: readonly string[]): boolean {
  return (
    segment === '.' || segment === '..' || (segment === '' && (index === 0 || index < length - 1))
  )
}
