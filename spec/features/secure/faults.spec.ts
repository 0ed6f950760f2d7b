// What an application may get wrong about who may call: whatever would let everybody in is refused
// before the first request.
import Koa from 'koa'
import {
  Api,
  allOf,
  anyOf,
  apiKey,
  Blueprint,
  basic,
  bearer,
  operation,
  type RegistrationError,
  type Requirement,
  type SecureOptions,
  safeEqual,
  secure,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../../support/client.js'
import { ask, basicLine } from './requests.js'

const never = undefined as never
const principal = () => undefined
const token = bearer('token', { principal })

describe('a scheme is a TypeError', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'without principal',
      () => bearer('token', {} as never),
      /^bearer\("token"\): principal must be a function, not undefined$/,
    ],
    [
      'of Basic without principal',
      () => basic('login', { principal: 'ann' as never }),
      /principal must be a function, not "ann"/,
    ],
    [
      'of a key without principal',
      () => apiKey('key', { in: 'header', name: 'X-Key' } as never),
      /principal must be a function, not undefined/,
    ],
    [
      'of a key in the header without a name',
      () => apiKey('key', { in: 'header', name: never, principal }),
      /name must be a string, not undefined/,
    ],
    [
      'of a key in the query without a name',
      () => apiKey('key', { in: 'query', name: never, principal }),
      /name must be a string, not undefined/,
    ],
  ])('%s', (_title, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})

describe('a requirement is a TypeError', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'that is all of nothing, which everybody has',
      () => (allOf as (...schemes: Requirement[]) => unknown)(),
      /allOf\(\) takes at least one/,
    ],
    [
      'that is any of nothing',
      () => (anyOf as (...schemes: Requirement[]) => unknown)(),
      /anyOf\(\) takes at least one/,
    ],
    ['that is not there', () => secure(never), /take schemes/],
    [
      'that cannot authenticate',
      () => secure({ ...token, authenticate: never }),
      /authenticate\(\) and challenge\(\)/,
    ],
    ['in which one is not there', () => anyOf(token, never), /take schemes/],
  ])('%s', (_title, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})

it.each<[SecureOptions<unknown>, string]>([
  [{ allow: null as never }, 'allow must be a function, not null'],
  [{ optional: 'false' as never }, 'optional must be true or false, not "false"'],
])('the options %j of secure are a fault', (options, fault) => {
  const register = () => new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(secured)
  const secured = new Blueprint('b').get('/', operation(secure(token, options)), () => 1)
  expect(register).toThrow(
    expect.objectContaining<Partial<RegistrationError>>({
      faults: [expect.stringContaining(`secure(): ${fault}`)],
    }),
  )
})

describe('credentials of which principal says false', () => {
  const isMine = (text: string) => safeEqual(text, 'sesame')
  const schemes = {
    key: apiKey('key', { in: 'header', name: 'X-Key', principal: isMine }),
    token: bearer('token', { principal: async text => isMine(text) }),
    login: basic('login', { principal: (user, password) => isMine(password) && { user } }),
  }
  const lines = (secret: string) => ({
    key: `X-Key: ${secret}`,
    token: `Authorization: Bearer ${secret}`,
    login: basicLine('ann', secret),
  })

  it.each(['key', 'token', 'login'] as const)('are nobody’s: %s', async name => {
    const blueprint = new Blueprint('b').get(
      '/',
      operation(secure<unknown, number>(schemes[name])),
      () => 'in',
    )
    const { port } = await serveBlueprints(blueprint)
    expect((await ask(port, '/', [lines('sesame')[name]])).status).toBe(200)
    expect((await ask(port, '/', [lines('sesamE-wrong')[name]])).status).toBe(401)
  })
})
