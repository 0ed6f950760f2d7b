// The shop's Api for the command: `koa-smorest routes`, `koa-smorest openapi breaking`, … Its
// database is never connected to.
import { createShop } from './app.js'
import { openDatabase } from './database.js'

export const { api } = createShop(openDatabase('postgres://localhost'))
