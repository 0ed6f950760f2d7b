/** What is told to the application of a case. */
export interface Case {
  /** The entity tag of the current representation, complete; null where it has none. */
  readonly current_etag: string | null
  readonly exists: boolean
  /** An HTTP date. */
  readonly last_modified: string | null
  /** What the operation answers to a request without preconditions. */
  readonly plain_status: number
  readonly config: { readonly require_if_match?: boolean; readonly etag_disabled?: boolean }
  readonly response_headers: Readonly<Record<string, string>>
}

/** A request, and what it has to be answered. */
export interface TestCase extends Case {
  readonly id: string
  readonly method: string
  /** Field lines in their order; a name may stand in several. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly expected: Expected
  readonly rfc: string
  readonly note: string
}

export interface Expected {
  readonly status: number
  readonly also_ok?: readonly number[]
  /** Whether the write happens. */
  readonly side_effect: boolean
  readonly body: 'none' | 'representation' | 'json_error' | 'any'
  readonly etag: 'current' | 'absent' | 'unspecified'
  readonly keep_headers?: readonly string[]
  readonly drop_headers?: readonly string[]
}
