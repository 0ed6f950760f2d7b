import type { IncomingHttpHeaders } from 'node:http'
import {
  type EntityTag,
  matchesStrongly,
  matchesWeakly,
  parseEntityTag,
  parseEntityTags,
} from './entity-tag.js'
import { parseHttpDate } from './http-date.js'
import { reads } from './methods.js'

/**
 * The precondition fields of a request (RFC 9110, section 13.1). `undefined`: no such field; a
 * present one may be empty.
 */
export interface Conditions {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly ifModifiedSince: string | undefined
  readonly ifUnmodifiedSince: string | undefined
}

/** The selected representation that conditions are compared with, before the method runs. */
interface Selected {
  /** Default true. */
  readonly exists?: boolean
  /** Its complete entity tag, quotes included. */
  readonly etag: string | undefined
  readonly lastModified?: Date | undefined
}

const NO_CONDITIONS: Conditions = Object.freeze({
  ifMatch: undefined,
  ifNoneMatch: undefined,
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
})

/** Returns the preconditions of a request; a shared object if it has none. */
export function conditionsOf(headers: IncomingHttpHeaders): Conditions {
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  const ifModifiedSince = headers['if-modified-since']
  const ifUnmodifiedSince = headers['if-unmodified-since']
  if ((ifMatch ?? ifNoneMatch ?? ifModifiedSince ?? ifUnmodifiedSince) === undefined)
    return NO_CONDITIONS
  return { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince }
}

/**
 * Evaluates preconditions in the order of RFC 9110, section 13.2.2: 200 means continue, 304 and 412
 * are the response. Call it only if the response without preconditions would be a success (section
 * 13.2.1). A malformed list matches nothing; one that is meant to prevent a change does prevent it.
 * A malformed date is ignored.
 */
export function evaluate(
  method: string,
  conditions: Conditions,
  current: Selected,
): 200 | 304 | 412 {
  if (conditions === NO_CONDITIONS || METHODS_WITHOUT_CONDITIONS.has(method)) return 200
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions
  const isRead = reads(method)
  if (ifMatch !== undefined) {
    if (!isListed(ifMatch, current, matchesStrongly)) return 412
  } else if (
    ifUnmodifiedSince !== undefined &&
    isModifiedSince(ifUnmodifiedSince, current) === true
  ) {
    return 412
  }
  if (ifNoneMatch !== undefined) {
    const listed = isListed(ifNoneMatch, current, matchesWeakly)
    if (isRead) return listed ? 304 : 200
    return (listed ?? true) ? 412 : 200
  }
  return isRead &&
    ifModifiedSince !== undefined &&
    isModifiedSince(ifModifiedSince, current) === false
    ? 304
    : 200
}

const METHODS_WITHOUT_CONDITIONS = new Set(['OPTIONS', 'TRACE', 'CONNECT'])

type Comparison = (tag: EntityTag, other: EntityTag) => boolean

/**
 * Returns whether a list of entity tags names the representation; `undefined` if it is malformed.
 */
function isListed(
  field: string,
  { exists = true, etag }: Selected,
  matches: Comparison,
): boolean | undefined {
  // most clients send just the strong tag that they were given
  if (exists && field === etag && parseEntityTag(etag)?.weak === false) return true
  const tags = parseEntityTags(field)
  if (tags === undefined) return undefined
  if (tags === '*') return exists
  const own = exists && etag !== undefined ? parseEntityTag(etag) : undefined
  return own !== undefined && tags.some(tag => matches(tag, own))
}

/** Returns `undefined` if the field is not a date, or the representation has none. */
function isModifiedSince(
  field: string,
  { exists = true, lastModified }: Selected,
): boolean | undefined {
  const date = parseHttpDate(field)
  if (date === undefined || lastModified === undefined || !exists) return undefined
  return Math.floor(lastModified.getTime() / 1000) > date.getTime() / 1000
}

/**
 * Returns whether a write lacks the If-Match that would protect it, which is a 428 (RFC 6585,
 * section 3): a PUT, PATCH or DELETE without the field, or with an empty one. If the request may
 * create, exactly `If-None-Match: *` protects as well.
 */
export function lacksIfMatch(
  method: string,
  { ifMatch, ifNoneMatch }: Conditions,
  options: { readonly create?: boolean } = {},
): boolean {
  if (!requiresIfMatch(method) || (ifMatch !== undefined && ifMatch.trim() !== '')) return false
  return !(options.create && ifNoneMatch?.trim() === '*')
}

/** Whether a method requires If-Match: PUT, PATCH and DELETE. */
export function requiresIfMatch(method: string): boolean {
  return method === 'PUT' || method === 'PATCH' || method === 'DELETE'
}
