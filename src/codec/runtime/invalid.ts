/**
 * Field name -> errors; a leaf is the list of messages. Exactly the layout of `errors.<location>`
 * in an error body; errors of an object as a whole are under `_schema`.
 */
export type ErrorTree = readonly string[] | ErrorFields

/**
 * The faults of the fields of an object, or of the items of a list under their index. Without a
 * prototype.
 */
export interface ErrorFields {
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
  if (fits(invalid.errors, { ...room })) return fieldsOf(invalid.errors)
  const errors = fieldsOf(cut(fieldsOf(invalid.errors), room) ?? [])
  return room.messages < 0
    ? fieldsOf(mergeErrors(errors, { [WHOLE]: ['There is more wrong than is shown here.'] }))
    : errors
}

/** Returns whether nothing has to be cut. */
function fits(errors: ErrorTree, room: { messages: number; characters: number }): boolean {
  if (isMessages(errors)) {
    for (const message of errors) if (!takes(room, message)) return false
    return errors.length > 0
  }
  let isEmpty = true
  for (const name in errors) {
    isEmpty = false
    room.characters -= name.length
    if (name.length > SHOWN_NAME || !fits(errors[name] as ErrorTree, room)) return false
  }
  return !isEmpty
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
