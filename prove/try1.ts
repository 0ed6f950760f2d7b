import { spawnSync } from 'node:child_process'
import { createDatabase } from '/work/main/prove/database.js'
import { experiment } from '/work/main/prove/experiment.js'
import { startServer } from '/work/main/prove/server-process.js'

await experiment('TRY', 'attack', async scope => {
  const db = await createDatabase(scope)
  const shop = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: db.url })
  scope.figure('m', JSON.stringify(await shop.measure()))
  for (const seed of (process.env.SEEDS ?? '1').split(',')) {
    const { stdout } = spawnSync(
      process.execPath,
      ['/work/main/prove/attack.mjs', shop.url, shop.url + '/docs/openapi.json', '--strict', `--seed=${seed}`],
      { encoding: 'utf8', maxBuffer: 1e8 },
    )
    console.log(stdout)
  }
  scope.figure('m2', JSON.stringify(await shop.measure()))
})
