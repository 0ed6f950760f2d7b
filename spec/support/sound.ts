import type Koa from 'koa'
import type { ContractOptions, Documented } from 'koa-smorest/testing'

/** An application that does what its document says, and how `contract` tests it. */
export interface Sound {
  readonly app: Koa
  readonly api: Documented
  readonly options: ContractOptions
  /** Ends what the application has started. */
  end?(): unknown
}
