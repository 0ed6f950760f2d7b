import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { base64url, type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Blueprint, operation, type Scheme, secure } from 'koa-smorest'
import { jwt } from 'koa-smorest/jwt'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { IdentityProvider, type Mode } from './identity-provider.js'
import { watchCredentials } from './watched.js'

const { ask, serveBlueprints } = watchCredentials()

const users = new Map([
  ['ann', { name: 'Ann' }],
  ['bob', { name: 'Bob' }],
])
let provider: IdentityProvider
beforeAll(async () => {
  provider = await IdentityProvider.start()
})
afterAll(() => provider.down())

type Options = Partial<Parameters<typeof jwt>[1]>
const login = (options: Options = {}) =>
  jwt('login', {
    issuer: provider.issuer,
    audience: provider.audience,
    jwks: provider.jwks,
    principal: ({ sub = '' }) => users.get(sub),
    ...options,
  })

/** An API of one operation, and what it says to a token. */
async function guarded(scheme: Scheme) {
  const views = new Blueprint('views').get(
    '/',
    operation(secure(scheme)),
    (_ctx, { principal }) => principal,
    { endpoint: 'x' },
  )
  const { port, request, errors } = await serveBlueprints(views)
  return {
    errors,
    verdict: (token: string) => ask(port, '/', [`Authorization: Bearer ${token}`]),
    headers: async (token: string) =>
      (await request('GET', '/', { headers: { Authorization: `Bearer ${token}` } })).headers,
  }
}

const REFUSED = { status: 401, challenges: ['Bearer realm="login", error="invalid_token"'] }
const minutes = (count: number) => Math.floor(Date.now() / 1000) + 60 * count
const unsigned = (header: object, claims: object) =>
  [header, claims].map(part => base64url.encode(JSON.stringify(part))).join('.')

describe('a JSON Web Token', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['has expired', () => provider.token({ exp: minutes(-1) })],
    ['never expires', () => provider.token({ exp: undefined as never })],
    ['is not valid yet', () => provider.token({ nbf: minutes(1) })],
    ['is of another issuer', () => provider.token({ iss: 'https://evil.example' })],
    ['is of no issuer', () => provider.token({ iss: undefined as never })],
    ['is for another audience', () => provider.token({ aud: 'another' })],
    ['is for no audience', () => provider.token({ aud: undefined as never })],
    ['is of somebody that nobody knows', () => provider.token({ sub: 'eve' })],
    [
      'has another key’s signature',
      async () =>
        `${(await provider.token()).split('.').slice(0, 2).join('.')}.${(await otherToken()).split('.')[2]}`,
    ],
    ['is of a key that is not the issuer’s', () => otherToken()],
    [
      'has been changed',
      async () =>
        (await provider.token()).replace(
          /\.[^.]+\./,
          `.${base64url.encode(JSON.stringify({ iss: provider.issuer, aud: 'shop', sub: 'bob', exp: minutes(1) }))}.`,
        ),
    ],
    [
      'is not signed, alg: none',
      async () =>
        `${unsigned({ alg: 'none' }, { iss: provider.issuer, aud: 'shop', sub: 'ann', exp: minutes(1) })}.`,
    ],
    [
      'is not signed, alg: nOnE',
      async () =>
        `${unsigned({ alg: 'nOnE' }, { iss: provider.issuer, aud: 'shop', sub: 'ann', exp: minutes(1) })}.`,
    ],
    ['is signed with the public key as a shared one', publicAsShared],
    ['brings its own key', async () => brought()],
    [
      'has a critical extension',
      () => provider.token({}, { crit: ['exp'], exp: 1 }).catch(() => 'a.b.c'),
    ],
    ['is no token', () => 'abc'],
    ['is three parts of nothing', () => 'a.b.c'],
    ['is encrypted', () => 'a.b.c.d.e'],
  ])('that %s is 401, invalid_token', async (_title, token) => {
    const { verdict, errors } = await guarded(login())
    expect(await verdict(await token())).toMatchObject(REFUSED)
    expect(errors).toEqual([])
  })

  it('is let in, whatever claims it has besides', async () => {
    const { verdict } = await guarded(login())
    expect(
      await verdict(await provider.token({ state: 'invalid', aud: ['other', 'shop'], scope: 7 })),
    ).toMatchObject({
      status: 200,
      body: { name: 'Ann' },
    })
  })

  it('may be off by the tolerance of clocks, and need not expire if that is said', async () => {
    const lenient = await guarded(login({ clockTolerance: 120, requiredClaims: [] }))
    expect((await lenient.verdict(await provider.token({ exp: minutes(-1) }))).status).toBe(200)
    expect((await lenient.verdict(await provider.token({ exp: undefined as never }))).status).toBe(
      200,
    )
  })

  it('is an access token of RFC 9068 if typ says so', async () => {
    const { verdict } = await guarded(login({ typ: 'at+jwt' }))
    expect((await verdict(await provider.token({}, { typ: 'at+jwt' }))).status).toBe(200)
    expect((await verdict(await provider.token({}, { typ: 'application/at+jwt' }))).status).toBe(
      200,
    )
    expect(await verdict(await provider.token({}, { typ: 'JWT' }))).toMatchObject(REFUSED)
    expect(await verdict(await provider.token())).toMatchObject(REFUSED)
  })

  it('is of one of the algorithms that are allowed', async () => {
    const { verdict } = await guarded(login({ algorithms: ['ES256'] }))
    expect(await verdict(await provider.token())).toMatchObject(REFUSED)
  })

  it('has scopes in scope or scp, or where the application finds them', async () => {
    const { verdict } = await guarded(login().scopes('read', 'write'))
    const missing = {
      status: 403,
      challenges: ['Bearer realm="login", error="insufficient_scope", scope="read write"'],
    }
    expect((await verdict(await provider.token({ scope: 'write other read' }))).status).toBe(200)
    expect((await verdict(await provider.token({ scp: ['read', 'write'] }))).status).toBe(200)
    expect(await verdict(await provider.token({ scope: 'read' }))).toMatchObject(missing)
    expect(await verdict(await provider.token({ scope: 'readwrite' }))).toMatchObject(missing)
    expect(await verdict(await provider.token())).toMatchObject(missing)
    const own = await guarded(
      login({ scopesOf: claims => claims.permissions as string[] }).scopes('write'),
    )
    expect((await own.verdict(await provider.token({ permissions: ['write'] }))).status).toBe(200)
  })

  it('is checked with a key of one’s own, shared or public', async () => {
    const secret = new Uint8Array(32).fill(7)
    const pair = await generateKeyPair('ES256')
    const ed = await generateKeyPair('Ed25519')
    const sign = (alg: string, key: CryptoKey | Uint8Array) =>
      new SignJWT({ sub: 'ann' })
        .setProtectedHeader({ alg })
        .setIssuer('us')
        .setAudience('shop')
        .setExpirationTime('1m')
        .sign(key)
    const own = { issuer: 'us', audience: 'shop', principal: ({ sub = '' }) => users.get(sub) }
    const tokens = {
      HS256: await sign('HS256', secret),
      ES256: await sign('ES256', pair.privateKey),
      Ed25519: await sign('Ed25519', ed.privateKey),
    }
    const accepted = async (key: NonNullable<Options['key']>) => {
      const { verdict } = await guarded(jwt('own', { ...own, key }))
      const statuses = await Promise.all(
        Object.entries(tokens).map(async ([name, token]) =>
          (await verdict(token)).status === 200 ? [name] : [],
        ),
      )
      return statuses.flat()
    }
    expect(await accepted(secret)).toEqual(['HS256'])
    expect(await accepted(createSecretKey(secret))).toEqual(['HS256'])
    expect(await accepted({ kty: 'oct', k: base64url.encode(secret) })).toEqual(['HS256'])
    expect(await accepted(pair.publicKey)).toEqual(['ES256'])
    expect(await accepted(await exportJWK(ed.publicKey))).toEqual(['Ed25519'])
  })

  it('that names no key is checked with each that could be meant', async () => {
    const pairs = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
    const keys = await Promise.all(pairs.map(({ publicKey }) => exportJWK(publicKey)))
    const { verdict } = await guarded(login({ jwks: { keys } }))
    const sign = (key: CryptoKey) =>
      new SignJWT({ sub: 'ann' })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(provider.issuer)
        .setAudience('shop')
        .setExpirationTime('1m')
        .sign(key)
    for (const { privateKey } of pairs)
      expect((await verdict(await sign(privateKey))).status).toBe(200)
    expect(await verdict(await sign((await generateKeyPair('ES256')).privateKey))).toMatchObject(
      REFUSED,
    )
  })

  it('tells an overridden handler why it was refused, without what it says', async () => {
    const views = new Blueprint('views').get('/', operation(secure(login())), () => 1, {
      endpoint: 'x',
    })
    const causes: unknown[] = []
    const { tracingChannel } = await import('node:diagnostics_channel')
    const channel = tracingChannel<unknown, { refusal?: { cause?: Error } }>(
      'koa-smorest.operation',
    )
    const end = (message: { refusal?: { cause?: Error } }) =>
      causes.push(message.refusal?.cause?.message)
    channel.asyncEnd.subscribe(end as never)
    const { port } = await serveBlueprints(views)
    await ask(port, '/', [
      `Authorization: Bearer ${await provider.token({ exp: minutes(-1), sub: 'secret-subject' })}`,
    ])
    channel.asyncEnd.unsubscribe(end as never)
    expect(causes).toEqual(['ERR_JWT_EXPIRED: "exp" claim timestamp check failed'])
  })
})

describe('jwt() is a TypeError', () => {
  const faultOf = (options: object) => {
    try {
      return login(options) && 'none'
    } catch (error) {
      return (error as Error).message.replace('jwt("login"): ', '')
    }
  }
  it.each(['clockTolerance', 'cacheMaxAge', 'cooldownDuration', 'timeoutDuration', 'outageMaxAge'])(
    'with %s of what is not a time, under which nothing would expire',
    option => {
      for (const value of [Number.NaN, -1, '60', null, Number.NEGATIVE_INFINITY])
        expect(faultOf({ [option]: value })).toMatch(
          new RegExp(`^${option} must be a number of at least 0.*, not `),
        )
      expect(faultOf({ [option]: undefined })).toBe('none')
      expect(faultOf({ [option]: Number.POSITIVE_INFINITY })).toMatch(
        /Age|Duration/.test(option) && option !== 'timeoutDuration'
          ? /^none$/
          : /must be a number of at least 0, not Infinity$/,
      )
    },
  )

  it.each([
    [
      'no algorithm',
      { algorithms: [] },
      'algorithms must be a list of at least one algorithm, without "none", not []',
    ],
    [
      'the algorithm none',
      { algorithms: ['RS256', 'nOne'] },
      'algorithms must be a list of at least one algorithm, without "none", not ["RS256", "nOne"]',
    ],
    [
      'claims that are no list',
      { requiredClaims: 'exp' },
      'requiredClaims must be a list of strings, not "exp"',
    ],
    [
      'an issuer that is missing',
      { issuer: [undefined] },
      'issuer must be null, a string or a list of strings, none of them empty, not [undefined]',
    ],
    [
      'an empty audience',
      { audience: ['shop', ''] },
      'audience must be null, a string or a list of strings, none of them empty, not ["shop", ""]',
    ],
  ])('with %s', (_title, options, message) => {
    expect(faultOf(options)).toBe(message)
  })
})

describe('the key of jwt()', () => {
  const fault = (options: object) => {
    try {
      login({ jwks: undefined, ...options } as never)
      return 'none'
    } catch (error) {
      return (error as Error).message
    }
  }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const written =
    'jwt("login"): key must be a shared secret or a key object, not the bytes of a PEM or SSH key: createPublicKey(bytes) of node:crypto reads them'
  const priv =
    'jwt("login"): key must be the public key: the private one belongs to the issuer alone'
  const short = (bytes: number) =>
    `jwt("login"): a shared secret must have at least 32 bytes, not ${bytes} (RFC 7518, section 3.2)`

  it.each<[string, () => object, string]>([
    ['the bytes of a PEM', () => ({ key: Buffer.from(pem) }), written],
    ['a secret made of them', () => ({ key: createSecretKey(Buffer.from(pem)) }), written],
    ['the bytes of an SSH key', () => ({ key: Buffer.from(`ssh-rsa ${'A'.repeat(90)}`) }), written],
    ['a private key', () => ({ key: rsa.privateKey }), priv],
    ['a private JWK', () => ({ key: rsa.privateKey.export({ format: 'jwk' }) }), priv],
    [
      'a set with a private key',
      () => ({ jwks: { keys: [rsa.privateKey.export({ format: 'jwk' })] } }),
      priv,
    ],
    ['a short secret', () => ({ key: new Uint8Array(31) }), short(31)],
    ['a short secret key', () => ({ key: createSecretKey(Buffer.alloc(5)) }), short(5)],
    [
      'a short secret as a JWK',
      () => ({ key: { kty: 'oct', k: Buffer.alloc(6).toString('base64url') } }),
      short(6),
    ],
    [
      'an algorithm of another kind of key',
      () => ({ key: rsa.publicKey, algorithms: ['HS256'] }),
      'jwt("login"): algorithms must fit the key (RS256, RS384, RS512, PS256, PS384, PS512), not HS256',
    ],
    [
      'an algorithm of another curve',
      () => ({ key: ec.publicKey, algorithms: ['ES256', 'ES384'] }),
      'jwt("login"): algorithms must fit the key (ES256), not ES384',
    ],
    [
      'an algorithm whose hash is longer than the secret',
      () => ({ key: new Uint8Array(32), algorithms: ['HS512'] }),
      'jwt("login"): algorithms must fit the key (HS256), not HS512',
    ],
    [
      'a key that signs nothing',
      () => ({ key: generateKeyPairSync('x25519').publicKey }),
      'jwt("login"): algorithms must fit the key (none does), not any other',
    ],
    [
      'an algorithm of shared secrets for a set of public keys',
      () => ({ jwks: new URL('http://127.0.0.1'), algorithms: ['HS256'] }),
      'jwt("login"): HS256 is for a shared secret: it cannot be used with jwks',
    ],
  ])('is a TypeError as %s', (_title, options, message) => {
    expect(fault(options())).toBe(message)
  })

  it('verifies by the algorithms whose hash is not longer than the secret', async () => {
    const key = Buffer.alloc(48, 'sesame')
    const scheme = jwt('login', { issuer: 'i', audience: 'a', key, principal: () => 'ann' })
    const { verdict } = await guarded(scheme)
    const statuses = []
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const token = new SignJWT({ iss: 'i', aud: 'a', exp: minutes(1), jti: 'sesame' })
      statuses.push((await verdict(await token.setProtectedHeader({ alg }).sign(key))).status)
    }
    expect(statuses).toEqual([200, 200, 401])
  })

  it('verifies tokens without the claims that are null, and refuses those that have them', async () => {
    const key = Buffer.alloc(32, 'sesame')
    const { verdict } = await guarded(
      jwt('login', { issuer: null, audience: null, key, principal: () => 'ann' }),
    )
    const statuses = []
    for (const claims of [{}, { iss: 'i' }, { aud: 'a' }, { aud: [] }]) {
      const token = new SignJWT({ ...claims, exp: minutes(1), jti: 'sesame' })
      const signed = await token.setProtectedHeader({ alg: 'HS256' }).sign(key)
      statuses.push((await verdict(signed)).status)
    }
    expect(statuses).toEqual([200, 401, 401, 401])
  })
})

describe('the keys of an identity provider', () => {
  let offset = 0
  afterEach(async () => {
    offset = 0
    provider.mode = 'well'
    vi.restoreAllMocks()
  })
  const passTime = (milliseconds: number) => {
    const now = performance.now.bind(performance)
    if (offset === 0) vi.spyOn(performance, 'now').mockImplementation(() => now() + offset)
    offset += milliseconds
  }
  const UNAVAILABLE = { status: 503, challenges: [] }

  it('are fetched once for all requests, and again when they are old', async () => {
    const { verdict } = await guarded(login({ cacheMaxAge: 60_000 }))
    provider.requests = 0
    const token = await provider.token()
    expect(
      (await Promise.all([1, 2, 3].map(() => verdict(token)))).map(({ status }) => status),
    ).toEqual([200, 200, 200])
    await verdict(token)
    expect(provider.requests).toBe(1)
    passTime(60_001)
    await verdict(token)
    expect(provider.requests).toBe(2)
  })

  it.each<Mode>([
    'slowly',
    'broken',
    'as HTML',
    'as no set',
    'as an empty set',
    'elsewhere',
    'in halves',
  ])('that are served %s make it 503 with Retry-After, logged, and never 401', async mode => {
    const { verdict, headers, errors } = await guarded(login({ timeoutDuration: 600 }))
    provider.mode = mode
    const token = await provider.token()
    expect(await verdict(token)).toMatchObject(UNAVAILABLE)
    expect(Number((await headers(token)).get('Retry-After'))).toBeGreaterThan(0)
    expect(errors.map(error => (error.cause as Error).name)).toEqual(['Unreachable', 'Unreachable'])
    expect(JSON.stringify(errors.map(error => String((error as Error).stack)))).not.toContain(token)
    provider.mode = 'well'
    passTime(5_001)
    expect((await verdict(token)).status).toBe(200)
  })

  it('are not asked for because of what is not a token: that is a 401 whether they can be reached or not', async () => {
    const { verdict } = await guarded(login())
    provider.mode = 'broken'
    provider.requests = 0
    const [header] = (await provider.token()).split('.')
    for (const token of ['nonsense', 'a.b.c', `${header}.e30`])
      expect(await verdict(token)).toMatchObject({
        status: 401,
        challenges: ['Bearer realm="login", error="invalid_token"'],
      })
    expect(provider.requests).toBe(0)
  })

  it('that cannot be reached are not asked for again for 5 seconds', async () => {
    const { verdict } = await guarded(login())
    provider.mode = 'broken'
    provider.requests = 0
    const token = await provider.token()
    for (let count = 0; count < 5; count++) expect(await verdict(token)).toMatchObject(UNAVAILABLE)
    expect(provider.requests).toBe(1)
    passTime(5_001)
    expect(await verdict(token)).toMatchObject(UNAVAILABLE)
    expect(provider.requests).toBe(2)
  })

  it('serve on through an outage, for as long as that is said', async () => {
    const { verdict } = await guarded(login({ cacheMaxAge: 60_000, outageMaxAge: 3_600_000 }))
    const token = await provider.token()
    expect((await verdict(token)).status).toBe(200)
    await provider.down()
    passTime(60_001)
    expect((await verdict(token)).status).toBe(200)
    passTime(3_600_000)
    expect(await verdict(token)).toMatchObject(UNAVAILABLE)
    await provider.up()
    passTime(5_001)
    expect((await verdict(token)).status).toBe(200)
  })

  it('are asked for again when the provider has rotated them, but for the cool-down', async () => {
    const { verdict } = await guarded(login({ cooldownDuration: 30_000 }))
    const old = await provider.token()
    expect((await verdict(old)).status).toBe(200)
    await provider.rotate('second')
    const fresh = await provider.token()
    expect(await verdict(fresh)).toMatchObject(REFUSED)
    passTime(30_001)
    expect((await verdict(fresh)).status).toBe(200)
    expect(await verdict(old)).toMatchObject(REFUSED)
  })

  it('that are rotated during an outage make it 503: nobody knows the new key', async () => {
    const { verdict } = await guarded(login())
    const old = await provider.token()
    expect((await verdict(old)).status).toBe(200)
    await provider.rotate('third')
    provider.mode = 'broken'
    passTime(30_001)
    expect(await verdict(await provider.token())).toMatchObject(UNAVAILABLE)
    expect((await verdict(old)).status).toBe(200)
  })

  it('are not asked for more often because of tokens with keys that do not exist', async () => {
    const { verdict } = await guarded(login())
    await verdict(await provider.token())
    provider.requests = 0
    for (let count = 0; count < 5; count++)
      expect(await verdict(await provider.token({}, { kid: `made-up-${count}` }))).toMatchObject(
        REFUSED,
      )
    expect(provider.requests).toBe(0)
  })
})

/** A token of a key that is not the provider's, under the name of one that is. */
async function otherToken(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256')
  const { kid } = await provider.publicJwk()
  return new SignJWT({ sub: 'ann' })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer(provider.issuer)
    .setAudience('shop')
    .setExpirationTime('1m')
    .sign(privateKey)
}

async function publicAsShared(): Promise<string> {
  const jwk = await provider.publicJwk()
  const text = new TextEncoder().encode(JSON.stringify(jwk))
  return new SignJWT({ sub: 'ann' })
    .setProtectedHeader({ alg: 'HS256', kid: jwk.kid })
    .setIssuer(provider.issuer)
    .setAudience('shop')
    .setExpirationTime('1m')
    .sign(text)
}

async function brought(): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = await exportJWK(publicKey)
  return new SignJWT({ sub: 'ann' })
    .setProtectedHeader({ alg: 'RS256', jwk })
    .setIssuer(provider.issuer)
    .setAudience('shop')
    .setExpirationTime('1m')
    .sign(privateKey)
}
