// Tests of an application in memory (koa-smorest/testing). Its peers light-my-request, fast-check,
// ajv and ajv-formats are optional, so nothing else imports these files.

export { contract } from './contract.js'
export type { ContractOptions, Documented } from './contract-options.js'
export type { Call, ContractLaw } from './judge/business.js'
export type { ContractFailure, ContractReport, Skip } from './judge/report.js'
export type { Prepare } from './judge/run.js'
export type { RequestCase } from './requests/request-case.js'
export { fetchOf, type Served } from './send/fetch-of.js'
