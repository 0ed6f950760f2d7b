import * as t from 'io-ts'
import { Blueprint, operation, query, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

describe('a fault at registration', () => {
  it.each([
    '/:a-:b',
    '/:a:b',
    '/:a<int>:b<int>',
    '/:a.json',
    '/:a(\\d+)',
    '/:a*',
    '/:rest<path>/more',
    '/:one<path>/:two<path>',
  ])(
    'is a rule with a segment that can be read in several ways, or a wildcard before its end: %s (T27)',
    async rule => {
      await expect(
        serveBlueprints(new Blueprint('x').get(rule, operation(), () => null)),
      ).rejects.toThrow(/Rule/)
    },
  )

  it('is a path parameter called __proto__ (T06)', async () => {
    await expect(
      serveBlueprints(new Blueprint('x').get('/:__proto__', operation(), () => null)),
    ).rejects.toThrow('__proto__')
  })
})

it('names such as constructor are ordinary names of tags, operations, schemas and parameters (T06)', async () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf']
  const blueprints = names.map(name =>
    new Blueprint(name, { urlPrefix: `/${name}` }).get(
      '/:constructor/:toString<int>',
      operation(
        query(t.partial({ valueOf: t.string })),
        response(t.strict({ [name]: t.unknown }, name)),
      ),
      (_ctx, search, named) => ({ [name]: [search.valueOf, named.constructor, named.toString] }),
      { endpoint: name },
    ),
  )
  // ajv, which holds answers against the document, knows no property called __proto__
  const { request, api } = await serveBlueprints(
    blueprints,
    {},
    { undocumented: ['/__proto__/a/7'] },
  )
  for (const name of names) {
    const { status, body } = await request('GET', `/${name}/a/7?valueOf=b`)
    expect({ name, status, body: Object.keys(body) }).toEqual({ name, status: 200, body: [name] })
  }
  const document = JSON.stringify(api.spec.toJSON())
  for (const name of names) expect(document).toContain(`"operationId":"${name}_get"`)
})
