import type Koa from 'koa'
import StockKoa from 'koa'
import { type AnyBlueprint, Api, Application, type Settings } from 'koa-smorest'
import { type Client, serve } from './client.js'

/**
 * The ways in which a response can leave: written past Koa, or through it. A rule about responses
 * is a rule about all of them.
 */
export const WAYS = [
  'alone on a Koa',
  'behind middleware on a Koa',
  'alone on an Application',
  'behind middleware on an Application',
] as const

/** One of the `WAYS`. */
export type Way = (typeof WAYS)[number]

/** What is set up anew for each way. */
export interface SetUp {
  readonly blueprint: () => AnyBlueprint
  readonly settings?: Settings
  /** Called with the app before the Api is made. */
  readonly prepare?: (app: Koa) => void
  readonly onError?: (error: Error, way: Way) => void
}

/**
 * Serves one Blueprint in each of the `WAYS`, as in production unless the settings say otherwise.
 */
export async function serveEveryWay({
  blueprint,
  settings,
  prepare,
  onError,
}: SetUp): Promise<Readonly<Record<Way, Client>>> {
  const clients = WAYS.map(async way => {
    const app = way.endsWith('Application') ? new Application() : new StockKoa()
    app.on('error', error => onError?.(error, way))
    prepare?.(app)
    if (way.startsWith('behind')) app.use((_ctx, next) => next())
    new Api(app, {
      OPENAPI_VERSION: '3.1.0',
      DEBUG: false,
      TESTING: false,
      ...settings,
    }).registerBlueprint(blueprint())
    return [way, await serve(app)] as const
  })
  return Object.fromEntries(await Promise.all(clients)) as Record<Way, Client>
}
