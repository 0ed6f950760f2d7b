// Serves payments, with a Redis at `REDIS_URL`: `npx tsx examples/redis/main.ts`.
import { Redis } from 'ioredis'
import { paymentsApp } from './app.js'

const port = Number(process.env['PORT'] ?? 3000)
const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')
redis.on('error', ({ message }) => console.error('Redis:', message))
paymentsApp(redis, async receipt => console.log('paid', receipt)).listen(port)
