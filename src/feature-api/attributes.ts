import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
import type { Unknown } from '../codec/decode/decode.js'
import type { Location, Reader } from './request-reader.js'

/** Class attributes of a Blueprint, as features see them (specification, sections 4.2 to 4.8). */
export interface Attributes {
  readonly HTTP_METHODS: readonly string[]
  readonly ARGUMENTS_PARSER: Readonly<Record<Location, Reader>>
  readonly DEFAULT_LOCATION_CONTENT_TYPE_MAPPING: Readonly<Partial<Record<Location, string>>>
  readonly DEFAULT_UNKNOWN: Readonly<Record<Location, Unknown>>
  readonly DEFAULT_PAGINATION_PARAMETERS: {
    readonly page: number
    readonly pageSize: number
    readonly maxPageSize: number
  }
  readonly PAGINATION_HEADER_FIELD_NAME: string | null
  readonly PAGINATION_LINKS: boolean
  readonly ETAG_INCLUDE_HEADERS: readonly string[]
  readonly DOCSTRING_INFO_DELIMITER: string | null
  /**
   * Wraps the response data, after its entity tag has been computed; undefined if the Blueprint
   * does not wrap.
   */
  readonly prepareResponseContent: ((data: unknown) => unknown) | undefined
  /**
   * Returns the schema of what `prepareResponseContent` returns for data of the given schema;
   * undefined if the Blueprint does not override it.
   */
  readonly prepareResponseSchema:
    | ((schema: SchemaObject | ReferenceObject) => SchemaObject | ReferenceObject)
    | undefined
}
