import type { WireError, WireProblem, WireResponse } from '../../contract/wire/facts.js'

/** The wire facts of `idempotent`. */
export interface IdempotentWire<IsRequired> {
  header: IsRequired extends true ? { 'Idempotency-Key': string } : { 'Idempotency-Key'?: string }
  every: { 'Idempotency-Replayed'?: 'true' }
  errors: 400 | 422
  responses:
    | WireResponse<
        409,
        WireError<WireProblem<'idempotency-running', unknown>>,
        { 'Retry-After'?: number },
        false
      >
    | WireResponse<503, WireError, { 'Retry-After'?: number }, false>
}
