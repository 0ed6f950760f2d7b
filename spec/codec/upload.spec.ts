import { Readable } from 'node:stream'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { maxSize, mediaTypes, Upload } from '../../src/codec/define/bounds.js'
import { struct } from '../../src/codec/define/struct.js'
import { optional } from '../../src/codec/shape/object-shape.js'

function upload(facts: Partial<Upload> = {}): Upload {
  return {
    filename: 'a.png',
    mediaType: 'image/png',
    size: 3,
    path: '/nowhere/a',
    bytes: async () => Buffer.from('abc'),
    text: async () => 'abc',
    stream: () => Readable.from(['abc']),
    moveTo: async () => {},
    ...facts,
  }
}

function decode(codec: t.Mixed, file: unknown): unknown {
  const decoded = decoderOf(struct({ file: codec }), { wire: 'text' })({ file })
  return ((decoded instanceof Invalid ? decoded.errors : decoded) as { file: unknown }).file
}

describe('Upload', () => {
  it('is a file, and a list of files if there are more', () => {
    const file = upload()
    expect(decode(Upload, file)).toBe(file)
    expect(decode(t.array(Upload), file)).toEqual([file])
    expect(decode(t.array(Upload), [file, file])).toEqual([file, file])
    expect(decode(Upload, [file, file])).toEqual(['Given more than once.'])
    expect(decode(optional(Upload), undefined)).toBeUndefined()
    expect(Upload.is(file)).toBe(true)
  })

  it('is no text, and nothing that JSON can say', () => {
    expect(decode(Upload, 'abc')).toEqual(['Not a file.'])
    expect(decoderOf(Upload)(JSON.parse(JSON.stringify(upload())))).toBeInstanceOf(Invalid)
    expect(Upload.decode({ path: '/etc/passwd', filename: 'x', size: 1 })).toMatchObject({
      left: [{ message: 'Not a file.' }],
    })
  })

  it('may be bounded in size and by what the client calls it', () => {
    expect(decode(maxSize(Upload, 2), upload())).toEqual(['Must be at most 2 bytes long.'])
    expect(decode(maxSize(Upload, 3), upload())).toHaveProperty('size', 3)
    const images = mediaTypes(Upload, ['image/*', 'application/pdf'])
    expect(decode(images, upload({ mediaType: 'Image/PNG; x=1' }))).toHaveProperty('filename')
    expect(decode(images, upload({ mediaType: 'text/html' }))).toEqual([
      'Must be of type image/* or application/pdf.',
    ])
  })
})
