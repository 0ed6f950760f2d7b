import { fileURLToPath } from 'node:url'

/** What the shop is told by environment variables. */
export interface Environment {
  /** `DATABASE_URL`: a PostgreSQL server. Default: none, and one of the shop's own is started. */
  readonly databaseUrl: string | undefined
  /** `DATA`: the folder of the shop's own server. Default `data` beside this file. */
  readonly data: string
  /**
   * `HOST`: the address to listen on. Default 127.0.0.1, so that only a proxy on this machine gets
   * through.
   */
  readonly host: string
  /** `PORT`. Default 3000; 0 is any that is free. */
  readonly port: number
  /** `WORKERS`: how many processes serve. Default 1: the one that is started. */
  readonly workers: number
  /**
   * `STOP_DELAY`, in seconds: how long the shop says that it is not ready before it takes no more
   * requests. Default 0.
   */
  readonly stopDelay: number
  /**
   * `SHOP_KEY`: the key of the staff, at least 16 characters. Default: a random one, which only
   * development is told.
   */
  readonly key: string | undefined
  /**
   * `SHOP_TOKEN_SECRET`: what tokens are signed with, at least 32 characters. Default: a random one
   * for each start.
   */
  readonly tokenSecret: string | undefined
  /**
   * `SHOP_OPEN=1`: who sends no credentials is one of the staff. For tools that cannot send any;
   * not in production.
   */
  readonly isOpen: boolean
  /**
   * `ORDERS_PER_MINUTE`: how many orders each caller may place, at all workers together. Default
   * 60.
   */
  readonly ordersPerMinute: number
  /** `NODE_ENV`. */
  readonly isProduction: boolean
}

/** Reads the variables; an Error names the first that is wrong. */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const wholeNumber = (name: string, preset: number, least: number, most: number) => {
    const value = Number(variables[name] || preset)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    throw new Error(
      `${name} is ${variables[name]}, and has to be a whole number from ${least} to ${most}`,
    )
  }
  const secret = (name: string, least: number) => {
    const value = variables[name] || undefined
    if (value !== undefined && value.length < least)
      throw new Error(`${name} has to have at least ${least} characters`)
    return value
  }
  const isProduction = variables.NODE_ENV === 'production'
  const isOpen = wholeNumber('SHOP_OPEN', 0, 0, 1) === 1
  if (isOpen && isProduction)
    throw new Error(
      'SHOP_OPEN=1 lets everybody write, which production must not: unset one of SHOP_OPEN and NODE_ENV',
    )
  return {
    databaseUrl: variables.DATABASE_URL || undefined,
    data: variables.DATA || fileURLToPath(new URL('data', import.meta.url)),
    host: variables.HOST || '127.0.0.1',
    port: wholeNumber('PORT', 3000, 0, 65_535),
    workers: wholeNumber('WORKERS', 1, 1, 256),
    stopDelay: wholeNumber('STOP_DELAY', 0, 0, 300),
    key: secret('SHOP_KEY', 16),
    tokenSecret: secret('SHOP_TOKEN_SECRET', 32),
    ordersPerMinute: wholeNumber('ORDERS_PER_MINUTE', 60, 1, 1_000_000),
    isOpen,
    isProduction,
  }
}
