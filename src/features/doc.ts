import type { OperationObject } from 'openapi3-ts/oas32'
import type { Feature } from '../contract/feature.js'
import { checkOptions } from '../contract/options.js'

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
    on(route) {
      const named = Object.keys(manual).filter(name => !name.startsWith('x-'))
      checkOptions(route, 'doc', Object.fromEntries(named.map(name => [name, true])), [...FIELDS, 'hidden'])
      return [{ stage: 'access', docs: () => ({ manual, ...(hidden !== undefined && { hidden }) }) }]
    },
  }
}

/** The fields of an Operation Object (OpenAPI 3.2, section 4.10), beside those that begin with `x-`. */
const FIELDS = [
  'tags',
  'summary',
  'description',
  'externalDocs',
  'operationId',
  'parameters',
  'requestBody',
  'responses',
  'callbacks',
  'deprecated',
  'security',
  'servers',
]
