import pg from 'pg'

// The pet shop, whose process kills itself in the worst moments: before an order is committed, and
// after that, before its response is sent. `DEATHS` is how often, of a thousand orders.

// it lives until it listens: preparing the database commits, too
await import('./shop.js')

const chance = Number(process.env.DEATHS) / 1000
const mayDie = () => Math.random() < chance / 2 && process.kill(process.pid, 'SIGKILL')

const { query } = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown }
async function commit(this: pg.Client) {
  mayDie()
  const result = await query.call(this, 'COMMIT')
  mayDie()
  return result
}
pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
  return given[0] === 'COMMIT' ? commit.call(this) : query.apply(this, given)
} as never
