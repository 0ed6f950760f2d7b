// What the compiler refuses reaches the library all the same: from JavaScript, from a module that
// another one imports before it is done, from a variable of the environment. Then an error says
// which function was misused, not what broke inside of it.
import * as t from 'io-ts'
import Koa from 'koa'
import * as library from 'koa-smorest'
import { Api, Blueprint, type Feature, operation, RegistrationError } from 'koa-smorest'
import * as jwt from 'koa-smorest/jwt'
import * as kysely from 'koa-smorest/kysely'
import * as standard from 'koa-smorest/standard'
import * as testing from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

type Misused = (...given: unknown[]) => unknown

/**
 * All public functions, classes aside, by name; but for those of the client, each byte of which is
 * loaded by browsers.
 */
const FUNCTIONS = Object.entries({ ...library, ...jwt, ...kysely, ...standard, ...testing }).filter(
  (entry): entry is [string, Misused] => typeof entry[1] === 'function' && /^[a-z]/.test(entry[0]),
)

const Pet = library.struct({ name: t.string })
const VALUES: readonly unknown[] = [
  undefined,
  null,
  '',
  'x',
  7,
  Number.NaN,
  {},
  { nonsense: 1 },
  [],
  ['x'],
  () => undefined,
  Symbol('s'),
  t.string,
  Pet,
]
/** Each value alone, and each behind one that may be right. */
const MISUSES: readonly (readonly unknown[])[] = [
  [],
  ...VALUES.map(value => [value]),
  ...['x', 409, Pet, t.string, new Koa()].flatMap(first => VALUES.map(value => [first, value])),
  ...VALUES.map(value => ['x', { consume: () => undefined, points: 1, duration: 1 }, value]),
]

/**
 * What is wrong with a call: with what it throws, or with what the registration of the feature that
 * it made throws.
 */
async function errorsOf(misused: Misused, given: readonly unknown[]): Promise<readonly unknown[]> {
  try {
    const made = await misused(...given)
    return typeof (made as Feature | undefined)?.on === 'function'
      ? ['get', 'post'].flatMap(method => registered(made as Feature, method))
      : []
  } catch (error) {
    return [error]
  }
}

function registered(feature: Feature, method: string): readonly unknown[] {
  const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0', DEBUG: false })
  api.warn = () => undefined
  try {
    api.registerBlueprint(
      new Blueprint('misused')[method as 'get'](
        '/pets',
        operation(feature) as never,
        () => undefined,
      ),
    )
    return []
  } catch (error) {
    return error instanceof RegistrationError
      ? error.faults.map(fault => new RegistrationError('', [fault]))
      : [error]
  }
}

/** What `abort` was made for is no fault, and a check of one's own may throw what it likes. */
const isFault = (error: unknown) => !(error instanceof library.HttpException)

/** An argument is called by its location, which is `json` where nothing is said. */
const isNamed = (message: string, name: string) =>
  message.includes(name) || (name === 'argument' && message.includes('json'))

describe('a public function', () => {
  it.each(FUNCTIONS)('%s says that it was misused, under its name', async (name, misused) => {
    const errors = (await Promise.all(MISUSES.map(given => errorsOf(misused, given))))
      .flat()
      .filter(isFault)
    const unnamed = errors
      .filter(error => !(error instanceof Error && isNamed(error.message, name)))
      .map(String)
    expect([...new Set(unnamed)]).toEqual([])
  })
})
