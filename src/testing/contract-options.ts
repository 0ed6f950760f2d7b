// The options of `contract`.

import type { ContractLaw } from './judge/business.js'
import type { Skip } from './judge/report.js'
import type { Prepare } from './judge/run.js'
import type { CredentialsByScheme } from './requests/credentials.js'

/** How a contract test runs. */
export interface ContractOptions {
  /**
   * The seed of random cases, default 1: the same seed, application and `reset` give the same
   * requests.
   */
  readonly seed?: number
  /**
   * Generated requests for each operation, default 100; provocations and laws come on top, about 20
   * to 60.
   */
  readonly runs?: number
  /**
   * Credentials by the name of their security scheme: a key, a token, `user:password`, or header
   * fields by name. In a list, the first may do everything. The others authenticate as well but may
   * do less, and must be refused (403) if scopes are required or 403 is documented.
   */
  readonly as?: CredentialsByScheme
  /**
   * Restores the data: called before each operation, each law and each step of shrinking. Without
   * it failures are not shrunk.
   */
  readonly reset?: () => Promise<void> | void
  /**
   * Values that are drawn instead of generated, by parameter or body field: `ownerId`, `POST /pets/
   * json.owner.id`. A file is a Blob or bytes.
   */
  readonly values?: Readonly<
    Record<string, readonly unknown[] | (() => readonly unknown[] | Promise<readonly unknown[]>)>
  >
  /** Changes each request of an operation before it is sent, to sign it: `'POST /hooks'`. */
  readonly prepare?: Readonly<Record<string, Prepare>>
  /**
   * Fields that come back with a different value than was sent, with the keys of `values`:
   * `PUT /users/{id} json.email`. A reason excludes the field from the law; a function returns its
   * new value.
   */
  readonly normalises?: Readonly<Record<string, string | ((value: never) => unknown)>>
  /** Laws of the business by name, which have to hold for every success of their operations. */
  readonly laws?: Readonly<Record<string, ContractLaw>>
  /** Makes every documented response that was not seen, and has no reason, a failure. */
  readonly complete?: boolean
  /**
   * Operations, or single checks of them, that are left out; by operationId or `GET /pets/{petId}`,
   * `*` for all. The names of checks are listed in docs/testing.md.
   */
  readonly skip?: readonly Skip[]
  /** The path at which the application mounts the Api: `/v2`. */
  readonly prefix?: string
  /**
   * Documented responses that no test can cause, and why: `POST /pets/ 409`, or one of its
   * problems, `POST /orders/ 409 out-of-stock`. They do not count for coverage.
   */
  readonly unreachable?: Readonly<Record<string, string>>
}

/** The part of an `Api` that a contract test reads. */
export interface Documented {
  readonly spec: { toJSON(openapiVersion?: string): object }
  /** Is told of names in the options that the document does not have. Default: `console.warn`. */
  warn?(text: string): void
}
