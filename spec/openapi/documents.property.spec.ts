import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apiOf, operations, rootAttributes } from './random-api.js'

const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)
const runs = Number(process.env.DOCUMENT_RUNS ?? 60)
const VERSIONS = ['3.2.0', '3.1.0', '3.0.3', '2.0']

const validator = new Validator()

async function faultsOf(document: object): Promise<readonly unknown[]> {
  const { valid, errors } = await validator.validate(
    structuredClone(document) as Record<string, unknown>,
  )
  return [
    ...(valid ? [] : [errors]),
    ...danglingReferences(document),
    ...(JSON.stringify(document).match(/"[^"]*:(?:input|open)"/g) ?? []),
  ]
}

/** References of the document that point nowhere. */
function danglingReferences(document: object): string[] {
  const dangling: string[] = []
  JSON.stringify(document, (key, value) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith('#/')) return value
    const target = value
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (part, name) => (part as Record<string, unknown> | undefined)?.[name],
        document,
      )
    if (target === undefined) dangling.push(value)
    return value
  })
  return dangling
}

/** Faults that the schema of a version does not find. */
function fashionsOf(document: object, version: string): readonly string[] {
  const text = JSON.stringify(document)
  const {
    definitions = {},
    responses = {},
    components,
  } = document as Record<string, Record<string, object>>
  const places: Record<string, object> = components ?? { definitions, responses }
  const parts = ['schemas', 'responses', 'definitions'].flatMap(place =>
    Object.keys(places[place] ?? {}).map(name => `${place}/${name}`),
  )
  return [
    ...(version < '3.1' && /"pattern":"[^"]*\\\\\\\\[pP]\{/.test(text)
      ? ['a pattern that needs the flag u']
      : []),
    ...(version === '2.0' && text.includes('"default":null') ? ['null is a default'] : []),
    ...parts.filter(part => !part.endsWith('/ByHand') && !text.includes(`/${part}"`)),
  ]
}

describe(`documents (seed ${seed})`, () => {
  it('are valid in each version, whatever the operations', { timeout: 600_000 }, async () => {
    let made = 0
    const property = fc.asyncProperty(
      fc.uniqueArray(operations, {
        minLength: 1,
        maxLength: 5,
        selector: ({ method, path }) => method + path,
      }),
      rootAttributes,
      async (declared, attributes) => {
        const spec = apiOf(declared, attributes)?.spec
        if (!spec) return
        made += 1
        for (const version of VERSIONS) {
          const document: object = spec.toJSON(version)
          const faults: readonly unknown[] = [
            ...(await faultsOf(document)),
            ...fashionsOf(document, version),
          ]
          if (faults.length > 0)
            expect.fail(`${version}: ${JSON.stringify(faults)} in ${JSON.stringify(document)}`)
        }
      },
    )
    await fc.assert(property, { seed, numRuns: runs })
    console.info(`documents: seed ${seed}, ${made} of ${runs} sets of operations`)
    expect(made).toBeGreaterThan(runs / 3)
  })
})
