import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { experiment, scale } from './experiment.js'
import type { Tagged } from './servers/tags.js'

// 20,000 values in three orders of their names, tagged in four processes with other time zones and
// locales: one tag for each value, another for each other value, and those of the vectors in the
// repository.

const VALUES = Math.round(20_000 / scale)
const ENVIRONMENTS = [
  { TZ: 'UTC', LC_ALL: 'C' },
  { TZ: 'Asia/Kathmandu', LC_ALL: 'C' },
  { TZ: 'UTC', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' },
  { TZ: 'America/St_Johns', LC_ALL: 'ar_EG.UTF-8', LANG: 'ar_EG.UTF-8' },
]

await experiment('E10', 'stability of tags', async scope => {
  const results = await Promise.all(ENVIRONMENTS.map(environment => tagIn(environment)))
  const [first] = results
  if (!first) throw new Error('no process has answered')
  const vectors = JSON.parse(
    readFileSync(new URL('../spec/tag-vectors.json', import.meta.url), 'utf8'),
  ) as { tag: string }[]
  scope.figure('values', first.values, { exactly: VALUES })
  scope.figure('processes', results.length, { atLeast: 4 })
  scope.figure(
    'processes that differ',
    results.filter(({ digest }) => digest !== first.digest).length,
    { exactly: 0 },
  )
  scope.figure('orders that differ', sum(results.map(({ orders }) => orders)), { exactly: 0 })
  scope.figure('collisions', sum(results.map(({ collisions }) => collisions)), { exactly: 0 })
  scope.figure('malformed tags', sum(results.map(({ malformed }) => malformed)), { exactly: 0 })
  const wrong = vectors.filter(({ tag }, index) =>
    results.some(({ vectors: made }) => made[index] !== tag),
  )
  scope.figure('vectors', vectors.length, { atLeast: 10 })
  scope.figure('vectors that differ', wrong.length, { exactly: 0 })
})

async function tagIn(environment: Record<string, string>): Promise<Tagged> {
  const file = fileURLToPath(new URL('servers/tags.ts', import.meta.url))
  const child = fork(file, [String(VALUES)], {
    env: { ...process.env, ...environment },
    execArgv: ['--import', 'tsx'],
  })
  const [tagged] = await once(child, 'message')
  return tagged as Tagged
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
