import * as t from 'io-ts'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { enumeration } from '../../src/codec/define/enumeration.js'
import { encoderOf } from '../../src/codec/encode/encode.js'
import { Schemas } from '../../src/openapi/schema/schemas.js'

enum Colour {
  red = 'r',
  blue = 'b',
}
enum Level {
  low,
  high = 5,
  negative = -1,
}
enum Mixed {
  one = 1,
  text = 'one',
}

const use = { direction: 'output', where: 'here' } as const

describe('an enumeration', () => {
  it('has the values of an enum, not its names', () => {
    const codec = enumeration(Colour)
    expect(decoderOf(codec)('r')).toBe(Colour.red)
    expect(decoderOf(codec)('red')).toEqual(new Invalid(['Must be one of: r, b.']))
    expect(encoderOf(codec)(Colour.blue)).toBe('b')
    expect(codec.decode('x')).toMatchObject({ left: [{ message: 'Must be one of: r, b.' }] })
    expectTypeOf<t.TypeOf<typeof codec>>().toEqualTypeOf<Colour>()
  })

  it('has the numbers of an enum of numbers, in texts as well', () => {
    const schema = (codec: t.Mixed) => new Schemas().of(codec, use)
    expect(schema(enumeration(Level))).toEqual({ type: 'number', enum: [0, 5, -1] })
    expect(schema(enumeration(Mixed))).toEqual({ enum: [1, 'one'] })
    expect(decoderOf(enumeration(Level), { wire: 'text' })('5')).toBe(Level.high)
    expect(decoderOf(enumeration(Level))('low')).toBeInstanceOf(Invalid)
    expectTypeOf<t.TypeOf<ReturnType<typeof enumeration<typeof Level>>>>().toEqualTypeOf<Level>()
  })

  it('may be of an object that serves as an enum', () => {
    const codec = enumeration({ small: 1, large: 'L', huge: 'L' } as const)
    expectTypeOf<t.TypeOf<typeof codec>>().toEqualTypeOf<1 | 'L'>()
    expect(codec.is('L')).toBe(true)
    expect(codec.is('small')).toBe(false)
    expect(new Schemas().of(codec, use)).toEqual({ enum: [1, 'L'] })
  })

  it('is a component with a name', () => {
    const schemas = new Schemas()
    expect(schemas.of(t.array(enumeration(Colour, 'Colour')), use)).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Colour' },
    })
    expect(schemas.components.schemas).toEqual({ Colour: { type: 'string', enum: ['r', 'b'] } })
  })
})
