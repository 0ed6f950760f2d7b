import type { WireError, WireProblem, WireResponse } from '../../contract/wire/facts.js'

/** What an operation that happens once is to a client, for the compiler. */
export interface IdempotentWire<IsRequired> {
  header: IsRequired extends true ? { 'Idempotency-Key': string } : { 'Idempotency-Key'?: string }
  every: { 'Idempotency-Replayed'?: 'true' }
  errors: 400 | 422
  responses:
    | WireResponse<409, WireError<WireProblem<'idempotency-running', unknown>>, { 'Retry-After'?: number }, false>
    | WireResponse<503, WireError, { 'Retry-After'?: number }, false>
}
