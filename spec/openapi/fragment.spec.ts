import type { SchemaObject } from 'openapi3-ts/oas31'
import { describe, expect, it } from 'vitest'
import { type Fragment, merge, mergeParameters } from '../../src/openapi/document/fragment.js'

const text = { type: 'string' } as const
const number = { type: 'number' } as const
const json = (schema: SchemaObject) => ({ content: { 'application/json': { schema } } })

describe('merge', () => {
  it('says nothing if nothing is said', () => {
    expect(merge([])).toEqual({})
  })

  it('lets later texts win, and keeps earlier ones that nobody speaks of again', () => {
    expect(merge([{ summary: 'first', description: 'kept' }, { summary: 'second' }])).toEqual({
      summary: 'second',
      description: 'kept',
    })
  })

  it('joins parameters in order, those of one location and name to one', () => {
    const first: Fragment = {
      parameters: [
        { name: 'page', in: 'query', schema: number },
        { $ref: '#/components/parameters/IfMatch' },
      ],
    }
    const second: Fragment = {
      parameters: [
        { name: 'q', in: 'query' },
        { name: 'page', in: 'query', description: 'Page' },
      ],
    }
    expect(merge([first, second]).parameters).toEqual([
      { name: 'page', in: 'query', schema: number, description: 'Page' },
      { $ref: '#/components/parameters/IfMatch' },
      { name: 'q', in: 'query' },
    ])
  })

  it('joins headers and media types of one status', () => {
    const first: Fragment = {
      responses: { 200: { description: 'OK', headers: { A: { schema: text } } } },
    }
    const second: Fragment = {
      responses: { 200: { description: 'Fine', ...json(text) }, 304: { description: 'Same' } },
    }
    expect(merge([first, second]).responses).toEqual({
      200: { description: 'Fine', headers: { A: { schema: text } }, ...json(text) },
      304: { description: 'Same' },
    })
  })

  it('makes two schemas of one status and media type a choice, the same schema twice one', () => {
    const fragment = (schema: SchemaObject): Fragment => ({
      responses: { 200: { description: 'OK', ...json(schema) } },
    })
    expect(merge([fragment(text), fragment(number)]).responses).toEqual({
      200: { description: 'OK', ...json({ anyOf: [text, number] }) },
    })
    expect(merge([fragment(text), fragment({ ...text })]).responses).toEqual({
      200: { description: 'OK', ...json(text) },
    })
  })

  it('prefers a response that is written out to a reference, whichever comes first', () => {
    const general: Fragment = { responses: { 404: { $ref: '#/components/responses/NotFound' } } }
    const special: Fragment = { responses: { 404: { description: 'No such pet' } } }
    expect(merge([general, special]).responses).toEqual(special.responses)
    expect(merge([special, general]).responses).toEqual(special.responses)
  })

  it('joins bodies, headers of success and manual documentation', () => {
    const merged = merge([
      {
        requestBody: { required: true, content: { a: { schema: text } } },
        success: { headers: { A: {} } },
        manual: { 'x-a': { b: 1, c: 2 } },
      },
      {
        requestBody: { content: { b: { schema: text } } },
        success: { headers: { B: {} } },
        manual: { 'x-a': { c: 3 } },
      },
    ])
    expect(merged).toEqual({
      requestBody: { required: true, content: { a: { schema: text }, b: { schema: text } } },
      success: { headers: { A: {}, B: {} } },
      manual: { 'x-a': { b: 1, c: 3 } },
    })
  })

  it('joins the header fields of every response', () => {
    const merged = merge([
      { every: { headers: { A: {}, B: { description: 'first' } } } },
      { every: { headers: { B: {} } } },
    ])
    expect(merged).toEqual({ every: { headers: { A: {}, B: {} } } })
  })

  it('changes no fragment', () => {
    const first: Fragment = Object.freeze({
      responses: Object.freeze({ 200: Object.freeze({ description: 'OK' }) }),
    })
    merge([
      first,
      {
        responses: { 200: { description: 'other', headers: { A: {} } } },
        manual: { summary: 'x' },
      },
    ])
    expect(first).toEqual({ responses: { 200: { description: 'OK' } } })
  })
})

describe('mergeParameters', () => {
  it('compares header names in any case', () => {
    expect(
      mergeParameters(
        [{ name: 'X-Token', in: 'header' }],
        [{ name: 'x-token', in: 'header', required: true }],
      ),
    ).toHaveLength(1)
    expect(
      mergeParameters([{ name: 'q', in: 'query' }], [{ name: 'Q', in: 'query' }]),
    ).toHaveLength(2)
  })
})
