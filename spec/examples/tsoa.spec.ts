import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { api } from '../../examples/tsoa/app.js'
import { breaking } from '../../src/breaking/breaking.js'
import { root } from '../architecture/source.js'

describe('examples/tsoa', () => {
  it('keeps the contract of the document that tsoa 6.6 generated, but for three changes', () => {
    const theirs = JSON.parse(
      readFileSync(join(root, 'examples/tsoa/original/swagger.json'), 'utf8'),
    )
    const findings = breaking(theirs, api.spec.toJSON())
    expect(
      findings.flatMap(({ level, rule, where }) => (level === 'ERR' ? [[rule, where]] : [])),
    ).toEqual([
      ['property-became-optional', 'response 404 application/json'],
      ['type-narrower', 'path parameter "petId"'],
      ['additional-properties-refused', 'request body multipart/form-data'],
    ])
  })

  it('is shown in docs/from-tsoa.md', () => {
    const code = readFileSync(join(root, 'examples/tsoa/app.ts'), 'utf8')
    expect(readFileSync(join(root, 'docs/from-tsoa.md'), 'utf8')).toContain(code)
  })
})
