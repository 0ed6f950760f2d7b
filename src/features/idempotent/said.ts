// Checks the results of a store before they are acted on: the store may be written by the
// application, over a table that others write to.
import { shown } from '../../names.js'
import type { Outcome, Store } from './store.js'

type Begun<Tx> = Awaited<ReturnType<Store<Tx>['begin']>>

/**
 * Checks the result of `begin`. Throws a TypeError if it is invalid, so that the request is not
 * carried out.
 */
export function begun<Tx>(said: Begun<Tx>): Begun<Tx> {
  const { state, run, fingerprint, outcome } = Object(said) as Partial<
    Record<'state' | 'run' | 'fingerprint' | 'outcome', unknown>
  >
  if (state === 'running') return said
  if (state === 'fresh' && typeof run === 'object' && run !== null) return said
  if (state === 'done' && typeof fingerprint === 'string' && isOutcome(outcome)) return said
  const what =
    typeof state === 'string' ? `an incomplete result with the state ${shown(state)}` : shown(said)
  throw new TypeError(`idempotent: begin() of the store returned ${what}`)
}

/**
 * Checks the result of `finish`. If a store forgets to return, nobody knows whether it has kept the
 * outcome.
 */
export function finished(said: boolean): boolean {
  if (typeof said === 'boolean') return said
  throw new TypeError(`idempotent: finish() of the store returns true or false, not ${shown(said)}`)
}

function isOutcome(given: unknown): given is Outcome {
  const { status, headers, body, failed } = Object(given) as Partial<Record<keyof Outcome, unknown>>
  if (
    !Number.isInteger(status) ||
    (status as number) < 200 ||
    (status as number) > 599 ||
    typeof failed !== 'boolean'
  )
    return false
  if (!Array.isArray(headers) || !headers.every(isField)) return false
  return failed
    ? typeof body === 'string' && isJson(body)
    : body === null || typeof body === 'string' || isBytes(body)
}

const isField = (field: unknown): boolean =>
  Array.isArray(field) && field.length === 2 && field.every(text => typeof text === 'string')

/** Returns whether a body is bytes, or the JSON form of a Buffer, which `Buffer.from` accepts. */
function isBytes(body: unknown): boolean {
  const { type, data } = Object(body) as { readonly type?: unknown; readonly data?: unknown }
  return body instanceof Uint8Array || (type === 'Buffer' && Array.isArray(data))
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}
