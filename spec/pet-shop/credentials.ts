import { randomSecrets } from '../../examples/pet-shop/access.js'

/** The secrets of a shop under test. */
export const secrets = randomSecrets()

/** The header fields of the staff. */
export const STAFF = { 'X-Key': secrets.key }

/** What tells the shop of a process of its own its secrets. */
export const SECRETS_IN_ENVIRONMENT = { SHOP_KEY: secrets.key, SHOP_TOKEN_SECRET: secrets.tokenSecret }
