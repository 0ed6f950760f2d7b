// koa-smorest contract
import { createRequire } from 'node:module'
import { isObject } from '../openapi/schema/json.js'
import type { ContractOptions, ContractReport, Served } from '../testing/index.js'
import { type Documented, importModule, isDocumented } from './load.js'
import { type Options, type Output, table, UsageError } from './usage.js'

/** The optional packages that `koa-smorest/testing` needs. */
const PEERS = ['ajv', 'ajv-formats', 'fast-check', 'light-my-request']

export async function contractCommand(
  module: string,
  options: Options,
  { out }: Output,
): Promise<number> {
  const missing = missingPeers(createRequire(import.meta.url).resolve)
  if (missing.length > 0)
    throw new UsageError(
      `contract needs packages that are not installed: npm install --save-dev ${missing.join(' ')}`,
    )
  const { app, api, contract: given } = await tested(module)
  const { reset } = given
  if (reset === undefined && !options.writes) {
    throw new UsageError(
      `contract writes and deletes, and ${module} has no way to restore the data: export contract = { reset: async () => … }, or allow it with --writes`,
    )
  }
  const [seed, runs] = [numberOf(options.seed, 'seed'), numberOf(options.runs, 'runs')]
  const { contract } = await import('../testing/index.js')
  const report = await contract(app, api, {
    ...given,
    ...(seed !== undefined && { seed }),
    ...(runs !== undefined && { runs }),
  })
  out(shown(report))
  return report.failures.length > 0 ? 1 : 0
}

/** Those of the packages that cannot be found. */
export function missingPeers(resolve: (name: string) => string): readonly string[] {
  return PEERS.filter(name => {
    try {
      resolve(name)
      return false
    } catch {
      return true
    }
  })
}

async function tested(
  path: string,
): Promise<{ readonly app: Served; readonly api: Documented; readonly contract: ContractOptions }> {
  const module = await importModule(path)
  const [app, api, contract] = [await module.app, await module.api, (await module.contract) ?? {}]
  const exported = `it exports ${Object.keys(module).sort().join(', ') || 'nothing'}`
  if (!isObject(app) || typeof app.callback !== 'function')
    throw new UsageError(`${path} exports no Koa application as "app" (${exported})`)
  if (!isDocumented(api)) throw new UsageError(`${path} exports no Api as "api" (${exported})`)
  if (!isObject(contract))
    throw new UsageError(
      `${path} exports as "contract" something else than the options of contract`,
    )
  return { app: app as unknown as Served, api, contract }
}

function numberOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} ${text}: write a whole number`)
  return Number(text)
}

function shown({ failures, coverage, requests }: ContractReport): string {
  const failed = failures.map(({ operation, check, status, message, curl, repeats }) => {
    const once = repeats ? '' : ' (not when it was tried again)'
    return [
      [operation, check, status === 0 ? '-' : String(status), `${message}${once}`],
      curl,
    ] as const
  })
  const rows = table(
    ['OPERATION', 'CHECK', 'STATUS', 'MESSAGE'],
    failed.map(([row]) => row),
  ).split('\n')
  const lines = failed.flatMap(([, curl], index) => [
    rows[index + 1] ?? '',
    ...(curl === '' ? [] : [`    ${curl}`]),
  ])
  const unseen = coverage.missing.map(({ operation, status, problem, stage, reason }) => [
    operation,
    [status, problem ?? stage ?? ''].join(' ').trim(),
    reason ?? '',
  ])
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`
  return [
    ...(failures.length > 0 ? [rows[0] ?? '', ...lines, ''] : []),
    ...(unseen.length > 0 ? [table(['NOT SEEN', 'STATUS', 'REASON'], unseen), ''] : []),
    table(
      ['FAILURES', 'REQUESTS', 'OPERATIONS', 'RESPONSES'],
      [
        [
          String(failures.length),
          String(requests),
          percent(coverage.operations),
          percent(coverage.responses),
        ],
      ],
    ),
  ].join('\n')
}
