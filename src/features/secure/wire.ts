// The wire facts of `secure`: the refusals that the document lists.
import type { WireError, WireResponse } from '../../contract/wire/facts.js'

/** The wire facts of `secure`; of a scheme whose refusals are not known, all that there may be. */
export type SecureWire<Refusals extends number, Options> = number extends Refusals
  ? SecureFacts<400 | 401 | 403 | 503, Options>
  : SecureFacts<Refusals, Options>

type SecureFacts<Refusals, Options> = {
  errors: (Refusals & 400) | (Options extends { readonly allow: unknown } ? 403 : never)
  responses:
    | WireResponse<Refusals & (401 | 403), WireError, { 'WWW-Authenticate'?: string }, false>
    | (503 extends Refusals
        ? WireResponse<503, WireError, { 'Retry-After'?: number }, false>
        : never)
} & unknown
