import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { message } from '../../src/codec/define/refine.js'
import { bool, float, int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { optional } from '../../src/codec/shape/object-shape.js'

/** What `?value=…` is decoded to; a list where the name is given more than once. */
function decode(codec: t.Mixed, value: string | string[]): unknown {
  const fields = Object.assign(Object.create(null), { value })
  const decoded = decoderOf(t.type({ value: codec }), { wire: 'text' })(fields)
  return ((decoded instanceof Invalid ? decoded.errors : decoded) as { value: unknown }).value
}

describe('texts', () => {
  it('T31: are whole numbers in one spelling only', () => {
    for (const codec of [int, t.Int]) {
      expect(decode(codec, '-12')).toBe(-12)
      expect(decode(codec, '0')).toBe(0)
      for (const text of [
        '1e3',
        '0x10',
        ' 1',
        '1 ',
        '1.0',
        '+1',
        '',
        '0b1',
        'Infinity',
        'NaN',
        '٣',
        '1_0',
        '01',
        '--1',
        '1\n',
        '-0',
      ]) {
        expect(decode(codec, text), text).toEqual(['Not a whole number.'])
      }
    }
  })

  it('T33: are safe whole numbers', () => {
    for (const text of ['9007199254740993', '1'.repeat(30)]) {
      expect(decode(int, text)).toEqual([
        'Must lie between -9007199254740991 and 9007199254740991.',
      ])
    }
  })

  it('are numbers as JSON spells them', () => {
    for (const codec of [float, t.number]) {
      expect(decode(codec, '-1.50')).toBe(-1.5)
      expect(decode(codec, '1e3')).toBe(1000)
      for (const text of ['', '.5', '5.', '0x10', 'Infinity', '1e999', '01', ' 1', '+1'])
        expect(decode(codec, text), text).toEqual(['Not a number.'])
    }
  })

  it('T40: are exactly true or false for bool, and for t.boolean in a union', () => {
    for (const codec of [bool, t.union([t.boolean, int]), nullable(t.boolean)]) {
      expect(decode(codec, 'true')).toBe(true)
      expect(decode(codec, 'false')).toBe(false)
      for (const text of ['TRUE', 'yes', '', 'on'])
        expect(decode(codec, text)).toEqual([expect.any(String)])
    }
    expect(decode(bool, '1')).toEqual(['Must be true or false.'])
    expect(decode(t.union([t.boolean, int]), '1')).toBe(1)
    expect(decode(t.union([t.refinement(t.boolean, () => true), t.string]), 'on')).toBe('on')
  })

  it.each([
    [true, 't T true True TRUE on On ON y Y yes Yes YES 1'],
    [false, 'f F false False FALSE off Off OFF n N no No NO 0'],
  ])(
    'T40: are %s for t.boolean, as a field and as an item, in the spellings of marshmallow',
    (value, texts) => {
      for (const text of texts.split(' ')) {
        expect(decode(t.boolean, text)).toBe(value)
        expect(decode(list(t.boolean), `${text},${text}`)).toEqual([value, value])
        expect(
          decode(
            t.refinement(t.boolean, () => true),
            text,
          ),
        ).toBe(value)
      }
    },
  )

  it('T40: are not booleans in any other spelling, and in JSON in none', () => {
    for (const text of ['', 'tRUE', 'oN', ' true', '2', '-1', 'null', '1.0'])
      expect(decode(t.boolean, text)).toEqual(['Must be true or false.'])
    for (const value of ['true', 'on', 1, 0])
      expect(decoderOf(t.boolean)(value)).toEqual(new Invalid(['Must be true or false.']))
    expect(decoderOf(t.record(t.boolean, int))({ on: 1 })).toEqual(
      new Invalid({ on: ['Unknown field.'] }),
    )
  })

  it('T40: are as strict in a union when the same codec is lenient as a field', () => {
    const decodeBoth = decoderOf(t.type({ a: t.boolean, b: t.union([t.boolean, t.string]) }), {
      wire: 'text',
    })
    expect(decodeBoth({ a: 'on', b: 'on' })).toEqual({ a: true, b: 'on' })
    expect(decodeBoth({ a: '0', b: 'false' })).toEqual({ a: false, b: false })
  })

  it('are literals by their text', () => {
    expect(decode(t.union([t.literal(1), t.literal('a'), t.literal(true)]), '1')).toBe(1)
    expect(decode(t.literal(true), 'true')).toBe(true)
    expect(decode(t.keyof({ a: null }), 'b')).toEqual(['Must be a.'])
  })

  it('are never null, and no message asks for it', () => {
    for (const text of ['null', '', 'x']) {
      expect(decode(nullable(int), text)).toEqual(['Not a whole number.'])
      expect(decode(nullable(t.boolean), text)).toEqual(['Must be true or false.'])
      expect(decode(nullable(t.keyof({ a: null, b: null })), text)).toEqual([
        'Must be one of: a, b.',
      ])
      expect(decode(nullable(t.union([int, t.boolean])), text)).toEqual([
        'Must be a whole number or true or false.',
      ])
      expect(decode(t.union([int, t.null, t.boolean]), text)).toEqual([
        'Must be a whole number or true or false.',
      ])
      expect(decode(message(nullable(int), 'Say a number.'), text)).toEqual(['Say a number.'])
      expect(decode(t.union([t.null, t.null]), text)).toEqual(['Must be null.'])
    }
    expect(decode(nullable(int), '5')).toBe(5)
    expect(decode(nullable(t.array(int)), ['5', '6'])).toEqual([5, 6])
    expect(decode(nullable(t.array(int)), '5')).toEqual([5])
  })

  it('are strings if nothing else is asked for, and never null', () => {
    expect(decode(t.string, '')).toBe('')
    expect(decode(nullable(t.string), 'null')).toBe('null')
    expect(decode(t.null, 'null')).toEqual(['Must be null.'])
    expect(decode(t.union([int, t.string]), '12')).toBe(12)
    expect(decode(t.union([int, t.boolean]), 'x')).toEqual([
      'Must be a whole number or true or false.',
    ])
  })

  it('given to a foreign codec stay texts', () => {
    const Upper = new t.Type<string>(
      'Upper',
      t.string.is,
      (input, context) =>
        typeof input === 'string' ? t.success(input.toUpperCase()) : t.failure(input, context),
      t.identity,
    )
    expect(decode(Upper, 'a')).toBe('A')
  })
})

describe('names given more than once', () => {
  it('are a list, and one value is a list of one', () => {
    expect(decode(t.array(int), ['1', '2'])).toEqual([1, 2])
    expect(decode(t.array(int), '1')).toEqual([1])
    expect(decode(t.array(int), ['1', 'x'])).toEqual({ 1: ['Not a whole number.'] })
    expect(decode(t.tuple([int, bool]), ['1', 'true'])).toEqual([1, true])
  })

  it('are a fault for anything else', () => {
    for (const codec of [t.string, int, t.boolean, t.literal('a')])
      expect(decode(codec, ['a', 'b'])).toEqual(['Given more than once.'])
    expect(decode(t.type({}), ['a', 'b'])).toEqual({ _schema: ['Given more than once.'] })
  })

  it('are one list for a codec whose items stand in one text, as some clients repeat the name for each item', () => {
    expect(decode(list(int), ['1', '2,3', ''])).toEqual([1, 2, 3])
    expect(decode(list(int), ['1', 'x'])).toEqual({ 1: ['Not a whole number.'] })
  })
})

describe('lists in one text', () => {
  it('are separated by commas, and empty if there is no text', () => {
    expect(decode(list(int), '1,2,3')).toEqual([1, 2, 3])
    expect(decode(list(int), '')).toEqual([])
    expect(decode(list(int), '1,')).toEqual({ 1: ['Not a whole number.'] })
    expect(decoderOf(list(int))([1, 2])).toEqual([1, 2])
  })
})

describe('T04: fields of a request', () => {
  it('that are not declared are left out unless they are asked for', () => {
    const given = JSON.parse(
      '{"a":"1","constructor[prototype][x]":"1","toString":"x","__proto__":"y"}',
    )
    const fields = Object.assign(Object.create(null), given)
    const codec = struct({ a: int, b: optional(int) })
    expect(decoderOf(codec, { wire: 'text' })(fields)).toEqual({ a: 1 })
    expect(decoderOf(codec, { wire: 'text', unknown: 'raise' })(fields)).toBeInstanceOf(Invalid)
    expect(decoderOf(t.record(t.string, t.string), { wire: 'text' })(fields)).toMatchObject({
      a: '1',
      toString: 'x',
    })
  })
})
