// The door to what runs a contract test, whose peers are heavy: an application that only uses
// `fetchOf` does not need them.
import { missingPeer } from '../peers.js'
import type { ContractOptions, Documented } from './contract-options.js'
import type { ContractReport } from './judge/report.js'
import type { Served } from './send/fetch-of.js'

/**
 * Tests an application against its own OpenAPI document, in memory: generated requests that the
 * document allows have to be accepted, with a response as documented, requests with one thing wrong
 * have to be refused, and the laws of the features have to hold (a stale If-Match changes nothing,
 * all pages together are the list, what is created can be read, …). It writes and deletes: give it
 * data that may be lost, and `reset` to restore them. Rejects with a TypeError for an unknown
 * option. Needs the optional peers ajv, ajv-formats, fast-check and light-my-request.
 *
 * `expect((await contract(app, api)).failures).toEqual([])`. Each failure has the request that
 * shows it as a `curl` command.
 */
export async function contract(
  app: Served,
  api: Documented,
  options: ContractOptions = {},
): Promise<ContractReport> {
  const { runContract } = await import('./run-contract.js').catch(
    missingPeer('contract()', 'npm install --save-dev ajv ajv-formats fast-check light-my-request'),
  )
  return runContract(app, api, options)
}
