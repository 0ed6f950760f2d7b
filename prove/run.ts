import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Runs the experiments one after another, all of them or those that are named (`npm run prove -- E2
// E6`), each in a process of its own, and the properties with many more cases than `npm test` has
// (`P`). Ends with 1 where one has failed.

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The cases of a property: twenty times those of `npm test`, or more by night. The seed is printed,
 * and `PROPERTY_SEED` repeats it.
 */
const PROPERTY_RUNS = process.env.PROPERTY_RUNS ?? '20000'
const PROPERTIES = [
  'spec/properties',
  'spec/openapi/agreement.spec.ts',
  'spec/openapi/yaml.spec.ts',
  'spec/codec/canonical-text.spec.ts',
  'spec/codec/referee.spec.ts',
  'spec/codec/compile/differences.spec.ts',
  'spec/codec/cost.spec.ts',
  'spec/codec/faults.spec.ts',
  'spec/codec/round-trip.spec.ts',
  'spec/http/json.spec.ts',
  'spec/client/transparency.spec.ts',
  'spec/features/keyset.spec.ts',
  'spec/http/multipart-pieces.spec.ts',
  'spec/http/stock-router.spec.ts',
]

const experiments = new Map<string, () => Promise<number>>()
for (const file of readdirSync(folder).sort()) {
  const [, number] = /^e(\d\d)-.*\.ts$/.exec(file) ?? []
  if (number)
    experiments.set(`E${Number(number)}`, () => run(['--import', 'tsx', `${folder}${file}`]))
}
experiments.set('P', () =>
  run(
    [
      `${root}node_modules/vitest/vitest.mjs`,
      'run',
      '--reporter=verbose',
      '--testTimeout=1800000',
      ...PROPERTIES,
    ],
    { PROPERTY_RUNS },
  ),
)

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

const wanted = process.argv.slice(2).map(name => name.toUpperCase())
const unknown = wanted.filter(name => !experiments.has(name))
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', ')}; there are ${[...experiments.keys()].join(', ')}.`,
  )
  process.exit(1)
}
const failed: string[] = []
for (const name of wanted.length > 0 ? wanted : experiments.keys())
  if ((await experiments.get(name)?.()) !== 0) failed.push(name)
console.log(failed.length > 0 ? `failed: ${failed.join(', ')}` : 'all of them have passed')
process.exit(failed.length > 0 ? 1 : 0)
