// Responses that depend on the caller or on what the client accepts, which a cache must not give to
// others.
import type { HeaderObject } from 'openapi3-ts/oas32'
import { type EveryHeader, type Exchange, everyHeader } from '../feature-api/exchange.js'
import { isSecured, type Part, type Route, variesBy } from '../feature-api/feature.js'
import { reads } from '../http/methods.js'
import { textHeader } from '../openapi/document/fragment.js'

/** The Cache-Control of a response that depends on who is asking. */
const PRIVATE = 'private, no-cache'

/**
 * Returns the part with the header fields that keep responses apart: all vary by what features
 * negotiate, and every response to a secured read is private, errors included. It also varies by
 * the credentials: with entity tags that are versions, the cache of a browser would take the 304
 * for one user as a confirmation of what it keeps for another. Under a private `cache`, that
 * feature decides on successes. Undefined for an operation without any.
 */
export function apartPart(route: Route): Part | undefined {
  const { method, features } = route
  const isCached = features.some(({ usedBy }) => usedBy === 'caller')
  const fields: EveryHeader[] = []
  const headers: Record<string, HeaderObject> = {}
  if (isSecured(features) && reads(method)) {
    const when = isCached ? isNotKept : undefined
    fields.push(everyHeader('Cache-Control', PRIVATE, { append: true, when }))
    headers['Cache-Control'] = textHeader(`\`${PRIVATE}\``)
  }
  const vary = variesBy(route).join(', ')
  if (vary !== '') {
    fields.push(everyHeader('Vary', vary, { append: true }))
    headers.Vary = textHeader(`\`${vary}\``)
  }
  if (fields.length === 0) return undefined
  return {
    stage: 'begin',
    step(exchange) {
      for (const field of fields) exchange.addHeader(field)
    },
    docs: () => ({ every: { headers } }),
  }
}

/** Returns whether a response is neither a success nor a 304. */
function isNotKept({ failure, status }: Exchange): boolean {
  return failure !== undefined || !((status >= 200 && status < 300) || status === 304)
}
