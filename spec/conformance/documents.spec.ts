import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApplication } from '../reference/application.js'
import { createServer } from '../reference/server.js'
import { type Client, serve } from '../support/client.js'
import { documentDifferences } from './compare-documents.js'
import type { Json } from './essence.js'
import { readJson } from './exchange.js'

let request: Client
beforeAll(async () => {
  request = await serve(createServer())
})

/** An error that `doc` describes without content is sent with the error body, and documented so. */
const ERROR_BODY = 'GET /responses/documented, response 404, schema'

/**
 * OpenAPI 2.0 has no parameters in cookies, and spells the type of a header field without `schema`.
 */
const DECIDED: Record<string, readonly string[]> = {
  '2.0': [
    'GET /args/cookies, parameter cookie session',
    'GET /args/cookies, parameter cookie visits',
    'GET /responses/documented, response 200, header X-One',
    ERROR_BODY,
  ],
  '3.0.3': [ERROR_BODY],
  '3.1.0': [ERROR_BODY],
}

describe.each([
  ['2.0', '/__v/oas2/docs/openapi.json'],
  ['3.0.3', '/docs/openapi.json'],
  ['3.1.0', '/__v/oas31/docs/openapi.json'],
])('the document of the reference application as OpenAPI %s', (version, path) => {
  let document: Json
  beforeAll(async () => {
    document = (await request('GET', path)).body
  })

  it('says what the original says, wherever the specification speaks of it', () => {
    const differences = documentDifferences(readJson<Json>(`documents/${version}.json`), document)
    expect(differences.map(text => text.split(': ')[0])).toEqual(DECIDED[version])
  })

  it('is valid', async () => {
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true })
  })
})

it('the document of the reference application as OpenAPI 3.2.0 is valid, and says what the one of 3.1 says', async () => {
  const modern = await serve(createApplication({ OPENAPI_VERSION: '3.2.0' }))
  const document = (await modern('GET', '/docs/openapi.json')).body
  expect(document.openapi).toBe('3.2.0')
  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true })
  expect({ ...document, openapi: '3.1.0' }).toEqual(
    (await request('GET', '/__v/oas31/docs/openapi.json')).body,
  )
})
