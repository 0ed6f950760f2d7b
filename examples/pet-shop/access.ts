import { createSecretKey, randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { anyOf, apiKey, safeEqual, secure } from 'koa-smorest'
import { jwt } from 'koa-smorest/jwt'

/** Who is calling: one of the staff, or a customer. */
export interface Caller {
  readonly name: string
  readonly isStaff: boolean
}

/** What the shop knows its callers by. */
export interface Secrets {
  /** The key of the staff, which is sent in `X-Key`. */
  readonly key: string
  /**
   * What tokens are signed with, at least 32 characters. Processes that share it accept each
   * other's tokens.
   */
  readonly tokenSecret: string
}

/** The scope of a token that makes its bearer one of the staff. */
const STAFF = 'staff'
const [ISSUER, AUDIENCE, ALGORITHM] = ['pet-shop', 'pet-shop', 'HS256']

/** How long a token lasts, in seconds. */
export const TOKEN_LIFE = 3600

/** Secrets that nobody knows yet. */
export function randomSecrets(): Secrets {
  return {
    key: randomBytes(24).toString('base64url'),
    tokenSecret: randomBytes(32).toString('base64url'),
  }
}

/** Who may call, by two schemes: an API key, and a token that the shop has signed. */
export type Access = ReturnType<typeof createAccess>

export function createAccess({ key, tokenSecret }: Secrets) {
  const signingKey = createSecretKey(tokenSecret, 'utf8')
  const shopKey = apiKey<Caller>('key', {
    in: 'header',
    name: 'X-Key',
    principal: sent => (safeEqual(sent, key) ? { name: 'the till', isStaff: true } : undefined),
    identify: ({ name }) => name,
    description: 'The key of the staff. In development the shop prints it when it starts.',
  })
  const login = jwt<Caller>('login', {
    issuer: ISSUER,
    audience: AUDIENCE,
    key: signingKey,
    algorithms: [ALGORITHM],
    requiredClaims: ['exp', 'sub'],
    principal: ({ sub = '', scope }) => ({
      name: sub,
      isStaff: String(scope ?? '')
        .split(' ')
        .includes(STAFF),
    }),
    identify: ({ name }) => name,
    description: 'A token of the shop. In development `POST /tokens/` signs one for anybody.',
  })
  return {
    /** Only the staff. */
    staff: secure(anyOf(login.scopes(STAFF), shopKey)),
    /** Whoever has a name here, customers too. */
    callers: secure(anyOf(login, shopKey)),
    /** Everybody; those who say who they are may be told more. */
    everybody: secure(anyOf(login, shopKey), { optional: true }),
    /** Signs a token for a caller. */
    sign: ({ name, isStaff }: Caller): Promise<string> =>
      new SignJWT(isStaff ? { scope: STAFF } : {})
        .setProtectedHeader({ alg: ALGORITHM })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(name)
        .setIssuedAt()
        .setExpirationTime(`${TOKEN_LIFE} s`)
        .sign(signingKey),
  }
}
