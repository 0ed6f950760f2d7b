import { isPlainObject } from '../shape/plain-object.js'
import type { RefinedShape, Shape } from '../shape/shape.js'
import { faultOf } from './decoding.js'
import { type ErrorTree, type Faults, WHOLE, withFault } from './invalid.js'

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
    `refine(${codec}): the check returned ${given}: return undefined, a text, or texts by the names of the fields`,
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
