// What `contract` takes.

import type { Skip } from './judge/report.js'
import type { CredentialsByScheme } from './requests/credentials.js'

/** How a contract test runs. */
export interface ContractOptions {
  /** Where random cases begin, default 1: the same seed, application and `reset` give the same requests. */
  readonly seed?: number
  /** Generated requests for each operation, default 100; provocations and laws come on top, about 20 to 60. */
  readonly runs?: number
  /**
   * Credentials by the name of their security scheme: a key, a token, `user:password`, or header fields by name. Of a list the first
   * may do everything; the others authenticate as well but may do less, and have to be refused (403) where scopes are asked for, or
   * 403 is documented.
   */
  readonly as?: CredentialsByScheme
  /** Restores the data: called before each operation, each law and each step of shrinking. Without it failures are not shrunk. */
  readonly reset?: () => Promise<void> | void
  /** Values that are drawn instead of generated, by parameter or body field: `ownerId`, `POST /pets/ json.owner.id`. */
  readonly values?: Readonly<
    Record<string, readonly unknown[] | (() => Promise<readonly unknown[]>)>
  >
  /** Operations, or single checks of them, that are left out; by operationId or `GET /pets/{petId}`. */
  readonly skip?: readonly Skip[]
  /** The path below which the application serves the Api, where it mounts it: `/v2`. */
  readonly prefix?: string
  /** Documented responses that no test can cause, `POST /pets/ 409`, and why; they do not count for coverage. */
  readonly unreachable?: Readonly<Record<string, string>>
}

/** The part of an `Api` that a contract test reads. */
export interface Documented {
  readonly spec: { toJSON(openapiVersion?: string): object }
  /** Is told of names in the options that the document does not have. Default: `console.warn`. */
  warn?(text: string): void
}
