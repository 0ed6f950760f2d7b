import { describe, expect, it } from 'vitest'
import { differences } from '../../src/command/document.js'

describe('differences', () => {
  it('are none between equal values, whatever the order of keys', () => {
    expect(differences({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toEqual([])
  })

  it('name the deepest place, as a JSON pointer, and what stands there', () => {
    expect(
      differences({ paths: { '/a/{b}': { get: 1 } } }, { paths: { '/a/{b}': { get: 2 } } }),
    ).toEqual([{ pointer: '/paths/~1a~1{b}/get', before: 1, after: 2 }])
  })

  it('tell what is new, what is gone and what changed its kind', () => {
    expect(differences({ a: 1, c: [] }, { b: 2, c: {} })).toEqual([
      { pointer: '/a', before: 1, after: undefined },
      { pointer: '/c', before: [], after: {} },
      { pointer: '/b', before: undefined, after: 2 },
    ])
    expect(differences([1, 2], [1])).toEqual([{ pointer: '/1', before: 2, after: undefined }])
    expect(differences(null, {})).toHaveLength(1)
  })
})
