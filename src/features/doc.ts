import type { OperationObject } from 'openapi3-ts/oas32'
import type { Feature } from '../contract/feature.js'

/** What `doc` lays over an operation's documentation. */
export interface Documentation extends Partial<OperationObject> {
  /** Leaves the operation out of the document. */
  readonly hidden?: boolean
}

/**
 * Lays documentation over what the other features say, manual values winning, field by field: `doc({ deprecated: true,
 * tags: ['old'] })`. Status codes may be numbers or texts (specification, sections 4.3 and 4.6).
 */
export function doc({ hidden, ...manual }: Documentation): Feature<Record<never, never>> {
  return {
    on: () => [{ stage: 'access', docs: () => ({ manual, ...(hidden !== undefined && { hidden }) }) }],
  }
}
