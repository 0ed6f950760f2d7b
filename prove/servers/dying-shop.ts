import { OutcomeStore } from '../../examples/pet-shop/outcome-store.js'

// The pet shop, whose process kills itself in the worst moments: before an order is committed, and after that, before its response is
// sent. `DEATHS` is how often, of a thousand orders.

const chance = Number(process.env.DEATHS) / 1000
const mayDie = () => Math.random() < chance / 2 && process.kill(process.pid, 'SIGKILL')

const { finish } = OutcomeStore.prototype
OutcomeStore.prototype.finish = async function (...given) {
  mayDie()
  const isKept = await finish.apply(this, given)
  mayDie()
  return isKept
}
await import('./shop.js')
