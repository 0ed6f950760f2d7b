import { readFileSync } from 'node:fs'

/**
 * A request that was sent to the original, and what it answered. Groups share their state and
 * variables, in their order.
 */
export interface Exchange {
  readonly id: string
  readonly group: string
  /**
   * What the answer follows from: the specification, the original's own code, its framework, its
   * schema library.
   */
  readonly tier: 'contract' | 'library' | 'framework' | 'schema'
  readonly note: string
  readonly request: RecordedRequest
  /** The answer of release 0.17. */
  readonly response: ExpectedAnswer
  /** The answer of its successor, where it is another; either is right. */
  readonly head?: ExpectedAnswer
  /** Variables, and the header field of the answer that each is set to. */
  readonly capture?: Readonly<Record<string, string>>
  /** `shape`: texts of `message` and below `errors` are free, their places are not. */
  readonly compare: 'exact' | 'shape' | 'status-only'
  /** A difference here is a matter of taste. */
  readonly advisory?: boolean
}

/**
 * At most one of the bodies is there. `{{name}}` stands for a variable, `{{name|bare}}` for one
 * without its quotes.
 */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string
  readonly body_base64?: string
  readonly form?: Readonly<Record<string, string | readonly string[]>>
  readonly multipart?: readonly {
    readonly name: string
    readonly value: string
    readonly filename?: string
    readonly content_type?: string
  }[]
}

export interface ExpectedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, HeaderRule>>
  readonly body?: unknown
  readonly body_text?: string
  readonly body_contains?: readonly string[]
  readonly body_empty?: boolean
}

export interface HeaderRule {
  readonly absent?: boolean
  readonly media_type?: string
  readonly equals?: string
  readonly pattern?: string
  readonly equals_var?: string
  readonly differs_from_var?: string
  /** The members of a list, in any order. */
  readonly set?: readonly string[]
  readonly json?: unknown
}

/** Values that answers gave, for later requests of the group. */
export type Variables = Map<string, string>

export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as T
}
