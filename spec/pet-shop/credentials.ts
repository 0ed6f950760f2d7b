import { randomSecrets } from '../../examples/pet-shop/access.js'
import { MARK } from '../support/credential-leaks.js'

const { key, tokenSecret } = randomSecrets()

/** The secrets of a shop under test, which can be found where they should not be. */
export const secrets = { key: `${MARK}-${key}`, tokenSecret: `${MARK}-${tokenSecret}` }

/** The header fields of the staff. */
export const STAFF = { 'X-Key': secrets.key }

/** What tells the shop of a process of its own its secrets. */
export const SECRETS_IN_ENVIRONMENT = {
  SHOP_KEY: secrets.key,
  SHOP_TOKEN_SECRET: secrets.tokenSecret,
}
