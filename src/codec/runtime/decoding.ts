import { isPlainObject } from '../shape/plain-object.js'
import type { RefinedShape, Shape } from '../shape/shape.js'
import { hasFields } from '../traits/parts.js'
import type { Nesting } from './nesting.js'

/**
 * Field name -> errors; a leaf is the list of messages. Exactly the layout of `errors.<location>`
 * in an error body; errors of an object as a whole are under `_schema`.
 */
export type ErrorTree = readonly string[] | ErrorFields

/**
 * The faults of the fields of an object, or of the items of a list under their index. Without a
 * prototype.
 */
interface ErrorFields {
  readonly [field: string]: ErrorTree
}

/** The result of a decoder for a value that does not match. It is never thrown. */
export class Invalid {
  constructor(readonly errors: ErrorTree) {}
}

/**
 * The errors of an object or a list, collected field by field; undefined if none has been found
 * yet.
 */
export type Faults = { [field: string]: ErrorTree } | undefined

/**
 * The maximum number of messages in an error body. Decoders of lists stop when they have found one
 * more.
 */
export const SHOWN_MESSAGES = 50

const SHOWN_CHARACTERS = 8_000
const SHOWN_NAME = 100

/** The key for faults of an object as a whole. */
export const WHOLE = '_schema'

/** Adds the errors of one field. */
export function withFault(faults: Faults, field: string, errors: ErrorTree): NonNullable<Faults> {
  const collected = faults ?? Object.create(null)
  collected[field] = errors
  return collected
}

/** Merges two trees: lists are joined, and a list beside fields is moved to `_schema`. */
export function mergeErrors(first: ErrorTree, second: ErrorTree): ErrorTree {
  if (isMessages(first) && isMessages(second)) return [...new Set([...first, ...second])]
  const merged: NonNullable<Faults> = Object.assign(Object.create(null), fieldsOf(first))
  for (const [field, errors] of Object.entries(fieldsOf(second))) {
    const earlier = merged[field]
    merged[field] = earlier ? mergeErrors(earlier, errors) : errors
  }
  return merged
}

/** The number of messages in a tree. */
export function countMessages(errors: ErrorTree): number {
  if (isMessages(errors)) return errors.length
  return Object.values(errors).reduce((sum, inner) => sum + countMessages(inner), 0)
}

/**
 * Limits the errors to the size of an error body: at most 50 messages and about 8 kB, names of
 * fields cut after 100 characters. `_schema` reports that there are more. A list of messages at the
 * root is moved to `_schema`.
 */
export function boundedErrors(invalid: Invalid): ErrorFields {
  const room = { messages: SHOWN_MESSAGES, characters: SHOWN_CHARACTERS }
  const errors = fieldsOf(cut(fieldsOf(invalid.errors), room) ?? [])
  return room.messages < 0
    ? fieldsOf(mergeErrors(errors, { [WHOLE]: ['There is more wrong than is shown here.'] }))
    : errors
}

/** Returns as much of the tree as fits; `messages` falls below zero if something is left out. */
function cut(
  errors: ErrorTree,
  room: { messages: number; characters: number },
): ErrorTree | undefined {
  if (isMessages(errors)) {
    const shown = errors.filter(message => takes(room, message))
    return shown.length > 0 ? shown : undefined
  }
  let fields: Faults
  for (const name of Object.keys(errors)) {
    const shownName = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name
    room.characters -= shownName.length
    const inner = cut(errors[name] as ErrorTree, room)
    if (inner) fields = withFault(fields, shownName, inner)
    if (room.messages < 0) break
  }
  return fields
}

function takes(room: { messages: number; characters: number }, message: string): boolean {
  room.characters -= message.length
  room.messages = room.characters < 0 ? -1 : room.messages - 1
  return room.messages >= 0
}

function fieldsOf(errors: ErrorTree): ErrorFields {
  return isMessages(errors) ? withFault(undefined, WHOLE, errors) : errors
}

function isMessages(errors: ErrorTree): errors is readonly string[] {
  return Array.isArray(errors)
}

/** Returns the decoded value, or an Invalid. */
export type Decoder = (value: unknown) => unknown

/** The treatment of undeclared fields: an error, left out, or kept unchanged. */
export type Unknown = 'raise' | 'exclude' | 'include'

/**
 * `json`: JSON values. `text`: strings, and lists of strings if a name was given more than once.
 */
export type Wire = 'json' | 'text'

/**
 * A string on the text wire that is JSON, as the part of a multipart body that is an object: its
 * value is decoded as JSON is, or if that does not fit, its text as text is.
 */
export class JsonText {
  constructor(
    readonly text: string,
    readonly value: unknown,
  ) {}
}

/** The state that the decoders of one codec share. */
export interface DecoderBuilder {
  readonly wire: Wire
  readonly unknown: Unknown
  /** Whether read-only fields are taken as well: the codec is used alone, not for a request. */
  readonly whole: boolean
  readonly nesting: Nesting
  /** The decoder of a shape inside. */
  readonly of: (shape: Shape) => Decoder
  /** The same, but for another policy or wire. */
  readonly with: (other: { readonly unknown?: Unknown; readonly wire?: Wire }) => DecoderBuilder
}

/** The error of an absent required field. */
export const MISSING = new Invalid(['Missing data for required field.'])

/**
 * The error of a value as a whole, with the shape's own message if it has one. For an object with
 * fields it is under `_schema`, so that it cannot be mistaken for the messages of a field. `null`
 * is an exception: see `wrongType`.
 */
export function faultOf(shape: Shape, text: string): Invalid {
  const messages = [shape.message ?? text]
  return new Invalid(hasFields(shape) ? withFault(undefined, WHOLE, messages) : messages)
}

/**
 * Returns the error of a value whose type is not the one that `text` names: the same objects each
 * time. `null` is reported in the same way for every codec, like an absent field.
 */
export function wrongType(shape: Shape, text: string, wire: Wire): (value: unknown) => Invalid {
  const invalid = faultOf(shape, text)
  const isGivenTwice = faultOf(shape, 'Given more than once.')
  const isNull = new Invalid([shape.message ?? 'May not be null.'])
  return value => {
    if (value === null) return isNull
    return wire === 'text' && Array.isArray(value) ? isGivenTwice : invalid
  }
}

/** The error of an undeclared field. */
export const UNKNOWN_FIELD = ['Unknown field.']

/** The error of a value that should be an object. */
export const NOT_AN_OBJECT = 'Not an object.'

/**
 * Returns a function that lists the items of a value, or undefined for a value that is not a list.
 * On a text wire one value is a list of one, unless its items are separated by commas
 * (`isSeparated`). Clients that repeat the name for each item (openapi-fetch) are understood as well.
 */
export function listReader(
  wire: Wire,
  isSeparated = false,
): (input: unknown) => readonly unknown[] | undefined {
  if (wire === 'json') return input => (Array.isArray(input) ? input : undefined)
  if (!isSeparated) return input => (Array.isArray(input) ? input : [input])
  const split = (text: unknown) =>
    typeof text === 'string' ? (text === '' ? [] : text.split(',')) : [text]
  return input =>
    Array.isArray(input)
      ? input.flatMap(split)
      : typeof input === 'string'
        ? split(input)
        : undefined
}

/**
 * Returns the program's key of a name in a record, and of that key itself again, so that what was
 * decoded can be encoded; undefined for a name outside of the domain. Names are strings on both
 * sides: if the values of the domain are objects (dates), the name stays.
 */
export function recordKeyReader(decodeName: Decoder): (name: string) => string | undefined {
  return name => {
    const key = decodeName(name)
    if (key instanceof Invalid) return undefined
    return typeof key === 'object' ? name : String(key)
  }
}

/**
 * Returns the result of the check as in an error body: lists of messages, under the names on the
 * wire.
 */
export function checkErrors(shape: RefinedShape, value: unknown): ErrorTree | undefined {
  const check = shape.check as (value: unknown) => unknown
  return errorsAt(shape, check(value), shape.codec.name)
}

/**
 * `said` is a message, a list of messages, or either by the program's name of a field, at any
 * depth. An empty result is not an error.
 */
function errorsAt(shape: Shape | undefined, said: unknown, codec: string): ErrorTree | undefined {
  if (said === undefined) return undefined
  const texts = typeof said === 'string' ? [said] : said
  if (Array.isArray(texts))
    return texts.length === 0 ? undefined : messagesAt(shape, texts.map(textOf(codec)))
  if (!isPlainObject(texts)) throw wrongResult(codec, texts)
  let faults: Faults
  for (const [key, inner] of Object.entries(texts)) {
    const part = key === WHOLE ? undefined : partAt(shape, key)
    const errors = errorsAt(part?.shape && withoutMessage(part.shape), inner, codec)
    if (errors) faults = withFault(faults, part?.name ?? key, errors)
  }
  return faults && shape?.message !== undefined && faults[WHOLE]
    ? withFault(faults, WHOLE, [shape.message])
    : faults
}

/** The message of a field's codec does not replace the messages of a check. */
function withoutMessage({ message: _, ...shape }: Shape): Shape {
  return shape as Shape
}

function messagesAt(shape: Shape | undefined, texts: readonly string[]): ErrorTree {
  const [first = '', ...others] = texts
  if (!shape) return texts
  const { errors } = faultOf(shape, first)
  if (shape.message !== undefined || others.length === 0) return errors
  return Array.isArray(errors) ? texts : withFault(undefined, WHOLE, texts)
}

function textOf(codec: string): (text: unknown) => string {
  return text => {
    if (typeof text !== 'string') throw wrongResult(codec, text)
    return text
  }
}

function wrongResult(codec: string, result: unknown): TypeError {
  const given = result instanceof Promise ? 'a promise, but is not waited for' : typeof result
  return new TypeError(
    `refine(${codec}): the check returned ${given}: return undefined, a string, or strings by the names of the fields`,
  )
}

interface Part {
  /** On the wire. */
  readonly name: string
  readonly shape?: Shape
}

/** The part of a shape under one of the program's keys; undefined if it does not exist. */
function partAt(shape: Shape | undefined, key: string): Part | undefined {
  switch (shape?.kind) {
    case 'object': {
      const field = shape.fields.find(field => field.key === key)
      return field ?? (shape.rest && { name: key, shape: shape.rest })
    }
    case 'array':
      return { name: key, shape: shape.item }
    case 'tuple': {
      const item = shape.items[Number(key)]
      return item && { name: key, shape: item }
    }
    case 'record':
      return { name: key, shape: shape.codomain }
    case 'constrained':
    case 'refined':
      return partAt(shape.base, key)
    case 'recursion':
      return partAt(shape.target(), key)
    case 'union':
    case 'intersection':
      return shape.members.map(member => partAt(member, key)).find(part => part !== undefined)
    default:
      return undefined
  }
}
