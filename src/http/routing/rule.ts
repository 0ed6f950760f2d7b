import { shown } from '../../names.js'
import {
  builtInConverters,
  type ConverterFactory,
  type ConverterOptions,
  type Converters,
  isConverter,
} from './converter.js'
import { type MixedSegment, mixedSegment, type RuleParameter, takeMixed } from './mixed-segment.js'

/**
 * A path rule, read: `/shops/:shopId<int>/pets/:petId`. One slash at its end has no meaning for
 * matching.
 */
export interface Rule {
  /** As written. */
  readonly text: string
  /** In order: a string is a decoded literal segment. */
  readonly segments: readonly (string | RuleParameter | MixedSegment)[]
  readonly parameters: readonly RuleParameter[]
  /** The path template of an OpenAPI document: `/shops/{shopId}/pets/{petId}`. */
  readonly template: string
  /** The path for @koa/router (path-to-regexp 8): `/shops/:shopId/pets/:petId`. */
  readonly routerPath: string
}

/** A rule that is not valid: the message names the fault and the remedy. */
export class RuleError extends Error {
  override readonly name = 'RuleError'
}

export type Trim<Text extends string> = Text extends ` ${infer Rest}`
  ? Trim<Rest>
  : Text extends `${infer Rest} `
    ? Trim<Rest>
    : Text
/** The members of a list with commas. */
export type Choice<List extends string> = List extends `${infer First},${infer Rest}`
  ? Trim<First> | Choice<Rest>
  : Trim<List>
type NamedValue<Name extends string> = Name extends keyof Converters ? Converters[Name] : unknown
type ValueOf<Type extends string> = Type extends `any(${infer List})`
  ? Choice<List>
  : Type extends `${infer Name}(${string}`
    ? NamedValue<Trim<Name>>
    : NamedValue<Trim<Type>>
type ParameterOf<Segment extends string> = Segment extends `${string}:${string}<${string}>${string}`
  ? TypedIn<Segment>
  : Segment extends `:${infer Name}`
    ? { name: Name; type: 'string' }
    : never
type TypedIn<Segment extends string> =
  Segment extends `${string}:${infer Name}<${infer Type}>${infer Rest}`
    ? { name: AfterColons<Name>; type: Type } | TypedIn<Rest>
    : never
// a colon that does not begin a parameter is text
type AfterColons<Text extends string> = Text extends `${string}:${infer Rest}`
  ? AfterColons<Rest>
  : Text

/** The parameters of a rule, as a union: each with its name and its converter as written. */
export type ParameterIn<Text extends string> = Text extends `${infer Segment}/${infer Rest}`
  ? ParameterOf<Segment> | ParameterIn<Rest>
  : ParameterOf<Text>
type ParameterOrAny<Text extends string> = string extends Text
  ? { name: string; type: string }
  : ParameterIn<Text>

/**
 * The named values that a rule gives: `'/:petId<int>'` gives `{ petId: number }`, a rule without
 * parameters `{}`, and a rule that is not known at compile time `{ [name: string]: unknown }`.
 */
export type ParametersOf<Text extends string> = {
  [Parameter in ParameterOrAny<Text> as Parameter['name']]: ValueOf<Parameter['type']>
}

const PARAMETER = /^:([A-Za-z_]\w*)(?:<([^<>]*)>)?$/
// A parameter beside a literal has a converter, so that its end is known.
const IN_TEXT = /:([A-Za-z_]\w*)<([^<>]*)>/
const CONVERTER = /^\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\)\s*)?$/
// Most segments match this: the next expression is exact, and slow.
const PLAIN = /^[\w-]+$/
// The characters of a literal: neither reserved with a meaning here (RFC 3986, section 2.2) nor
// impossible in a path.
const LITERAL = /^[^\s\p{Cc}\p{Cs}?#%{}[\]<>*"\\^`|]+$/u

/** Reads a rule. Throws a RuleError whose message names the remedy. */
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
  const parameters = segments.flatMap(parametersOf)
  for (const [index, parameter] of parameters.entries()) {
    if (parameters.findIndex(other => other.name === parameter.name) < index) {
      throw new RuleError(`Rule "${text}": two parameters are called "${parameter.name}"`)
    }
    if (parameter.converter.rest && parameter !== segments.at(-1)) {
      throw new RuleError(
        `Rule "${text}": "${parameter.name}" takes the rest of the path, so it must be the last`,
      )
    }
  }
  const write = (
    parameterText: (parameter: RuleParameter, isMixed: boolean) => string,
    literalText: (literal: string) => string,
  ) => {
    const written = segments.map(segment => {
      const parts = partsOf(segment)
      return parts
        .map(part =>
          typeof part === 'string' ? literalText(part) : parameterText(part, parts.length > 1),
        )
        .join('')
    })
    return written.map(segment => `/${segment}`).join('') + end || '/'
  }
  return {
    text,
    segments,
    parameters,
    template: write(({ name }) => `{${name}}`, encodeURI),
    routerPath: write(
      ({ name, converter }, isMixed) =>
        converter.rest ? `*${name}` : isMixed ? `:"${name}"` : `:${name}`,
      literal => encodeURI(literal).replace(/[+!:()]/g, '\\$&'),
    ),
  }
}

type Segment = Rule['segments'][number]

/** The literals and parameters of a segment, in order. */
function partsOf(segment: Segment): readonly (string | RuleParameter)[] {
  return typeof segment !== 'string' && 'parts' in segment ? segment.parts : [segment]
}

function parametersOf(segment: Segment): readonly RuleParameter[] {
  return partsOf(segment).filter(part => typeof part !== 'string')
}

function segmentOf(part: string, converters: ReadonlyMap<string, ConverterFactory>): Segment {
  const [, name, written] = PARAMETER.exec(part) ?? []
  if (name !== undefined) return parameterOf(name, written ?? 'string', converters)
  if (IN_TEXT.test(part)) return mixedOf(part, converters)
  const isLiteral = LITERAL.test(part) && !/^:|^\.\.?$/.test(part)
  if (!PLAIN.test(part) && !isLiteral) throw new Error(whatIsWrong(part))
  return part
}

function mixedOf(part: string, converters: ReadonlyMap<string, ConverterFactory>): MixedSegment {
  // literal, name, converter, literal, ...
  const split = part.split(IN_TEXT)
  const parts: (string | RuleParameter)[] = []
  for (let index = 0; index < split.length; index += 3) {
    const [text = '', name, written = ''] = split.slice(index, index + 3)
    if (text !== '' && !LITERAL.test(text)) throw new Error(whatIsWrong(part))
    if (text === '' && index > 0 && name !== undefined)
      throw new Error(`in "${part}", text must separate the parameters`)
    if (text !== '') parts.push(text)
    if (name === undefined) continue
    const parameter = parameterOf(name, written, converters)
    if (parameter.converter.rest)
      throw new Error(
        `"${name}" takes the rest of the path, so it must be a whole segment, as in ":${name}<${written}>"`,
      )
    parts.push(parameter)
  }
  return mixedSegment(parts)
}

function parameterOf(
  name: string,
  written: string,
  converters: ReadonlyMap<string, ConverterFactory>,
): RuleParameter {
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
      `what makes the converter "${converterName}" must return { parse: text => … }, not ${shown(converter)}`,
    )
  return { name, type: written.replace(/\s*([(),=]|^|$)\s*/g, '$1'), converter }
}

function optionsOf(text: string | undefined): ConverterOptions {
  const values: string[] = []
  const named = new Map<string, string>()
  for (const option of text?.trim() ? text.split(',') : []) {
    const [left = '', right, ...more] = option.split('=').map(side => side.trim())
    if (left === '' || right === '' || more.length > 0)
      throw new Error(`"${option.trim()}" is not an option: write value or name=value`)
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
  const typed = part.replace(/:([A-Za-z_]\w*)(?![\w<])/g, ':$1<string>')
  if (typed !== part)
    return `a parameter beside text needs its converter: write "${typed}" for "${part}"`
  if (part.includes('%'))
    return `write "${part}" without percent-encoding, rules are matched decoded`
  return `"${part}" cannot be a segment: a parameter is written ":name" or ":name<converter>", all other text is literal`
}

/**
 * The path, percent-encoded, that the rule matches with these values. Throws a RangeError for a
 * value that its converter refuses.
 */
export function ruleToPath(rule: Rule, values: { readonly [name: string]: unknown }): string {
  let path = ''
  for (const segment of rule.segments) {
    if (typeof segment === 'string') {
      path += `/${encodeURI(segment)}`
      continue
    }
    if ('parts' in segment) {
      path += `/${mixedToPath(segment, values, rule)}`
      continue
    }
    const { name, converter } = segment
    const value = values[name]
    const text = textOf(segment, value)
    const parts = converter.rest ? text.split('/') : [text]
    if (parts.some(isUnsendable) || converter.parse(text) === undefined) {
      throw new RangeError(`Rule "${rule.text}" cannot have ${name}: ${value}`)
    }
    path += parts.map(part => `/${encodeURIComponent(part)}`).join('')
  }
  return rule.text.endsWith('/') ? `${path}/` : path
}

function textOf({ converter }: RuleParameter, value: unknown): string {
  return value === undefined ? '' : (converter.format?.(value) ?? String(value))
}

function mixedToPath(
  segment: MixedSegment,
  values: { readonly [name: string]: unknown },
  { text: ruleText }: Rule,
): string {
  const parameters = parametersOf(segment)
  const texts = parameters.map(parameter => textOf(parameter, values[parameter.name]))
  const path = segment.parts
    .map(part =>
      typeof part === 'string'
        ? encodeURI(part)
        : encodeURIComponent(texts[parameters.indexOf(part)] ?? ''),
    )
    .join('')
  const taken = takeMixed(path, segment)
  const isReadBack =
    taken !== undefined && texts.every((text, index) => text === taken.texts[index])
  if (!isReadBack || path === '.' || path === '..') {
    const given = parameters.map(({ name }) => `${name}: ${values[name]}`).join(', ')
    throw new RangeError(
      `Rule "${ruleText}" cannot have ${given}${taken && !isReadBack ? ': its path would be read back differently' : ''}`,
    )
  }
  return path
}

/**
 * An empty segment matches nothing but at the end of a rest, and clients resolve dot segments,
 * encoded or not (WHATWG URL, section 4.4).
 */
function isUnsendable(segment: string, index: number, { length }: readonly string[]): boolean {
  return (
    segment === '.' || segment === '..' || (segment === '' && (index === 0 || index < length - 1))
  )
}
