import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { type DecodeOptions, decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { maxItems, maxLength, minLength, Upload } from '../../src/codec/define/bounds.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { message, refine } from '../../src/codec/define/refine.js'
import { isoDate } from '../../src/codec/define/scalar/dates.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { writerOf } from '../../src/codec/encode/encode.js'
import { describe as annotate } from '../../src/codec/shape/annotations.js'
import { optional } from '../../src/codec/shape/object-shape.js'
import { Schemas } from '../../src/openapi/schema/schemas.js'

function errorsOf(codec: t.Mixed, input: unknown, options?: DecodeOptions): unknown {
  const value = decoderOf(codec, options)(input)
  return value instanceof Invalid ? value.errors : 'it was decoded'
}

const TEXT = 'A name has at most 30 characters.'
const Name = message(maxLength(minLength(t.string, 1), 30), TEXT)
const Pet = struct({ name: t.string }, 'Pet')

describe('a message', () => {
  it('replaces what the codec itself says, whatever is wrong', () => {
    for (const input of ['x'.repeat(31), '', 5, null, {}])
      expect(errorsOf(Name, input)).toEqual([TEXT])
    expect(decoderOf(Name)('Rex')).toBe('Rex')
    const own: readonly (readonly [t.Mixed, unknown])[] = [
      [int, 1.5],
      [int, 2 ** 60],
      [isoDate.asDate, '2020-02-30'],
      [t.literal('a'), 'b'],
      [t.array(int), 'x'],
      [maxItems(t.array(int), 1), [1, 2]],
      [t.tuple([int]), [1, 2]],
      [t.union([int, t.boolean]), 'x'],
      [Upload, 'x'],
      [t.unknown, Number.POSITIVE_INFINITY],
      [
        t.brand(
          t.string,
          (text): text is t.Branded<string, { readonly Word: symbol }> => text.length > 1,
          'Word',
        ),
        'a',
      ],
      [new t.Type('Own', t.string.is, t.string.validate, t.identity), 1],
    ]
    for (const [codec, input] of own)
      expect(errorsOf(message(codec, 'Wrong.'), input), codec.name).toEqual(['Wrong.'])
    expect(errorsOf(message(list(int), 'Wrong.'), {}, { wire: 'text' })).toEqual(['Wrong.'])
    expect(errorsOf(message(int, 'Wrong.'), ['1', '2'], { wire: 'text' })).toEqual(['Wrong.'])
  })

  it('stands where the messages that it replaces do: of an object with fields under _schema', () => {
    expect(errorsOf(message(t.record(t.string, int), 'Wrong.'), 5)).toEqual(['Wrong.'])
    const objects = [
      Pet,
      nullable(Pet),
      t.union([Pet, t.type({ age: int })]),
      refine(Pet, () => undefined),
    ]
    for (const codec of objects)
      expect(errorsOf(message(codec, 'Wrong.'), 5), codec.name).toEqual({ _schema: ['Wrong.'] })
    expect(
      errorsOf(
        message(
          refine(Pet, () => ['Bad.', 'Worse.']),
          'Wrong.',
        ),
        { name: '' },
      ),
    ).toEqual({ _schema: ['Wrong.'] })
    expect(
      errorsOf(
        message(
          t.refinement(Pet, () => false),
          'Wrong.',
        ),
        { name: '' },
      ),
    ).toEqual({ _schema: ['Wrong.'] })
  })

  it('leaves the messages of fields, items and members alone, and those of a check for a field', () => {
    expect(errorsOf(message(Pet, 'Wrong.'), { name: 1, age: 2 })).toEqual({
      name: ['Not a string.'],
      age: ['Unknown field.'],
    })
    expect(errorsOf(message(t.array(int), 'Wrong.'), ['x'])).toEqual({ 0: ['Not a whole number.'] })
    expect(errorsOf(message(nullable(minLength(t.string, 2)), 'Wrong.'), 'a')).toEqual([
      'Must be at least 2 characters long.',
    ])
    expect(errorsOf(message(t.record(t.string, int), 'Wrong.'), { a: 'x' })).toEqual({
      a: ['Not a whole number.'],
    })
    expect(
      errorsOf(
        message(
          refine(Pet, () => ({ name: 'Is no name.' })),
          'Wrong.',
        ),
        { name: '' },
      ),
    ).toEqual({ name: ['Is no name.'] })
    expect(
      errorsOf(
        message(
          refine(Pet, () => ({ name: 'Is no name.', _schema: 'Bad.' })),
          'Wrong.',
        ),
        { name: '' },
      ),
    ).toEqual({
      name: ['Is no name.'],
      _schema: ['Wrong.'],
    })
  })

  it('of a field does not replace what a check of the whole says of it', () => {
    const Named = refine(struct({ name: Name, pet: message(Pet, 'No pet.') }), () => ({
      name: 'Is taken.',
      pet: ['Is taken.', 'Is ill.'],
    }))
    expect(errorsOf(Named, { name: 'Rex', pet: { name: 'Rex' } })).toEqual({
      name: ['Is taken.'],
      pet: { _schema: ['Is taken.', 'Is ill.'] },
    })
  })

  it('is not shown for a field that is absent', () => {
    expect(errorsOf(t.type({ name: Name }), {})).toEqual({
      name: ['Missing data for required field.'],
    })
    expect(errorsOf(t.type({ name: optional(Name) }), {})).toBe('it was decoded')
    expect(errorsOf(t.type({ name: optional(Name) }), { name: 1 })).toEqual({ name: [TEXT] })
  })

  it('is kept by copies, and replaced by a later one', () => {
    expect(errorsOf(annotate(Name, { description: 'A name' }), 1)).toEqual([TEXT])
    expect(errorsOf(message(Name, 'Later.'), 1)).toEqual(['Later.'])
    expect(errorsOf(message(nullable(Pet), 'Wrong.'), 1)).toEqual(
      errorsOf(annotate(message(nullable(Pet), 'Wrong.'), { title: 'Pet' }), 1),
    )
    const Tree = t.recursion(
      'Tree',
      (self: t.Mixed): t.Mixed => t.type({ children: t.array(self) }),
    )
    expect(errorsOf(message(Tree, 'No tree.'), 1)).toEqual({ _schema: ['No tree.'] })
    expect(errorsOf(message(Tree, 'No tree.'), { children: [1] })).toEqual({
      children: { 0: { _schema: ['Not an object.'] } },
    })
  })

  it('changes neither what goes out nor the document', () => {
    expect(writerOf(message(Pet, 'Wrong.'))({ name: 'Rex', secret: 1 })).toBe('{"name":"Rex"}')
    const use = { direction: 'input', where: 'here' } as const
    const [plain, other] = [new Schemas(), new Schemas()]
    expect(other.of(t.type({ pet: message(Pet, 'Wrong.'), name: Name }), use)).toEqual(
      plain.of(t.type({ pet: Pet, name: maxLength(minLength(t.string, 1), 30) }), use),
    )
    expect(other.components).toEqual(plain.components)
  })

  it('is what io-ts reports of the codec alone', () => {
    expect(Name.decode(1)).toMatchObject({ left: [{ message: TEXT }] })
    expect(message(Pet, 'Wrong.').decode(1)).toMatchObject({ left: [{ message: 'Wrong.' }] })
    expect(message(Pet, 'Wrong.').decode({ name: 1 })).toMatchObject({
      left: [{ message: 'Not a string.' }],
    })
    expect(Name.decode('Rex')).toEqual({ _tag: 'Right', right: 'Rex' })
  })

  it('is refused around a mark, which speaks of the field', () => {
    expect(() => message(optional(int), 'Wrong.')).toThrow(/^message: put optional/)
  })
})
