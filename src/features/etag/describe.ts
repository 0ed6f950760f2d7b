import type { ParameterObject } from 'openapi3-ts/oas31'
import type { Route } from '../../feature-api/feature.js'
import { reads } from '../../http/methods.js'
import { requiresIfMatch } from '../../http/preconditions.js'
import { type Fragment, textHeader } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { defined } from '../../options.js'

/** The field that a change has to have. */
const IF_MATCH: ParameterObject = {
  name: 'If-Match',
  in: 'header',
  description:
    'Entity tag of the representation that the change is based on (RFC 9110, section 13.1.1)',
  schema: { type: 'string', minLength: 1 },
}
const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Entity tags of representations that the client has (RFC 9110, section 13.1.2)',
  schema: { type: 'string', minLength: 1 },
}

/**
 * Describes the condition that is read, and the response to a false one, if conditions are
 * evaluated before the method. `required` refers to If-Match.
 */
export function describeConditions(
  { method, settings }: Route,
  schemas: Schemas,
  required: boolean | undefined,
): Fragment {
  if (settings.ETAG_DISABLED) return {}
  const ifMatch = { ...IF_MATCH, ...defined({ required }) }
  return {
    ...(requiresIfMatch(method) && { parameters: [ifMatch] }),
    responses: { 412: schemas.errorResponse(412) },
  }
}

/** Describes what is read and sent if the response has a tag, which may be a weak one. */
export function describeTag({ method }: Route, schemas: Schemas, isWeak = false): Fragment {
  if (!isTagged(method)) return {}
  const header = textHeader(`${isWeak ? 'Weak entity' : 'Entity'} tag of the representation`)
  const tagged: Fragment = { success: { headers: { ETag: header } } }
  if (!reads(method)) return tagged
  const responses = {
    304: { description: 'Not Modified', headers: { ETag: header } },
    412: schemas.errorResponse(412),
  }
  return { ...tagged, parameters: [IF_NONE_MATCH], responses }
}

/**
 * Returns whether a response to the method is a representation, which has a tag; the response to a
 * DELETE has none.
 */
export function isTagged(method: string): boolean {
  return reads(method) || method === 'POST' || method === 'PUT' || method === 'PATCH'
}
