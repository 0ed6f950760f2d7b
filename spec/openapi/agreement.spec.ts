import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import type * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid, type Unknown } from '../../src/codec/decode/decode.js'
import { EncodeError, encoderOf } from '../../src/codec/encode/encode.js'
import type { Shape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'
import { someInside } from '../../src/codec/traits/parts.js'
import { hasDomain } from '../../src/openapi/schema/direction.js'
import { type Direction, SchemaError, Schemas } from '../../src/openapi/schema/schemas.js'
import { INHERITED_KEYS, inputsOf, PLAIN_KEYS, codecs as someCodecs } from '../codec/arbitrary.js'
import { seed, cases as times } from '../properties/seed.js'

const runs = times(1000)
const VALUES = 5

interface Case {
  readonly codec: t.Mixed
  readonly inputs: readonly unknown[]
}

// ajv knows no property called __proto__; what its schema says of it is not looked at
const keys = [...PLAIN_KEYS, ...INHERITED_KEYS.filter(key => key !== '__proto__')]
const cases: fc.Arbitrary<Case> = someCodecs({ keys, access: true }).chain(codec => {
  const inputs = fc.oneof(
    { weight: 9, arbitrary: inputsOf(codec, { keys }) },
    inputsOf(codec, { keys }).map(beyondDoubles),
  )
  return fc.record({
    codec: fc.constant(codec),
    inputs: fc.array(inputs, { minLength: VALUES, maxLength: VALUES }),
  })
})

/** The value with whole numbers that no double holds exactly in the place of some others. */
function beyondDoubles(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inner) =>
    inner === 7 || inner === 5 ? Number.MAX_SAFE_INTEGER + 1 : inner,
  )
}

// without allErrors ajv lets a required property called '' be absent
const ajv = new Ajv2020({ strict: true, ownProperties: true, allErrors: true })
addFormats.default(ajv)
ajv.addVocabulary(['discriminator'])

/**
 * A validator of what the document says of the codec; undefined where two parts of it have one name
 * and differ.
 */
function validatorOf(
  codec: t.Mixed,
  direction: Direction,
  unknown: Unknown,
): ValidateFunction | undefined {
  const schemas = new Schemas()
  const root = schemaOrClash(() => schemas.of(codec, { direction, unknown, where: 'here' }))
  if (!root) return undefined
  const whole = JSON.stringify({ allOf: [root], $defs: schemas.components.schemas }, null, 2)
  const renamed = [...schemas.renames].reduce(
    (text, [from, to]) => text.replaceAll(`"${from}"`, `"${to}"`),
    whole,
  )
  return ajv.compile(JSON.parse(renamed.replaceAll('#/components/schemas/', '#/$defs/')))
}

function schemaOrClash<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (
      error instanceof SchemaError &&
      error.problems.every(problem => problem.includes('two codecs that differ'))
    )
      return undefined
    throw error
  }
}

/**
 * Whether something is in it of which the document can say nothing: a predicate; an intersection
 * that could not be merged, if a part of it is a Date or a bigint, which the other part may keep as
 * text; where objects are open, a read-only field, and the values under the names of a dictionary
 * that are in its domain.
 */
function isSilent(shape: Shape, open: boolean): boolean {
  return someInside(shape, inner => {
    switch (inner.kind) {
      case 'constrained':
        return !inner.schema
      case 'refined':
        return true
      case 'intersection':
        return someInside(inner, isConverted)
      case 'record':
        return open && hasDomain(inner.domain)
      case 'object':
        return open && inner.fields.some(field => field.access === 'read')
      default:
        return false
    }
  })
}

function isConverted(shape: Shape): boolean {
  return shape.kind === 'scalar' && shape.conversion !== undefined
}

/**
 * What is sent; undefined where a value does not fit: a default may be of another type than its
 * field.
 */
function sent(encode: () => unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(encode()))
  } catch (error) {
    if (error instanceof EncodeError) return undefined
    throw error
  }
}

/** ajv overlooks `__proto__`. */
function isComparable(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    Object.entries(value).every(([key, inner]) => key !== '__proto__' && isComparable(inner))
  )
}

describe(`P1: codec and schema (seed ${seed})`, () => {
  it.each<[Unknown, number]>([
    ['raise', runs],
    ['exclude', runs / 4],
    ['include', runs / 4],
  ])(
    'agree on what comes in, unknown fields: %s',
    (unknown, count) => {
      const seen = { accepted: 0, refused: 0 }
      const agree = ({ codec, inputs }: Case) => {
        const validate = validatorOf(codec, 'input', unknown)
        if (!validate) return
        const decode = decoderOf(codec, { unknown })
        const silent = isSilent(shapeOf(codec), unknown !== 'raise')
        for (const input of inputs.filter(isComparable)) {
          const decoded = !(decode(input) instanceof Invalid)
          seen[decoded ? 'accepted' : 'refused'] += 1
          const valid: boolean = validate(input)
          if (valid === decoded || (silent && valid)) continue
          const verdict: string = decoded ? 'accepts' : 'refuses'
          expect.fail(
            `${codec.name} ${verdict} ${JSON.stringify(input)}, its schema does not: ${JSON.stringify(validate.schema)}`,
          )
        }
      }
      fc.assert(fc.property(cases, agree), { seed, numRuns: Math.ceil(count / VALUES) })
      console.info(
        `unknown fields ${unknown}: seed ${seed}, ${seen.accepted} accepted, ${seen.refused} refused`,
      )
      expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(count / 10)
    },
    1_800_000,
  )

  it('agree on what goes out', () => {
    let compared = 0
    const agree = ({ codec, inputs }: Case) => {
      const validate = validatorOf(codec, 'output', 'raise')
      if (!validate) return
      const [decode, encode] = [decoderOf(codec, { whole: true }), encoderOf(codec)]
      for (const value of inputs.filter(isComparable).map(decode)) {
        const output = value instanceof Invalid ? undefined : sent(() => encode(value))
        if (output === undefined) continue
        compared += 1
        if (!validate(output))
          expect.fail(
            `${codec.name} sends ${JSON.stringify(output)}, its schema refuses it: ${JSON.stringify(validate.schema)}`,
          )
      }
    }
    fc.assert(fc.property(cases, agree), { seed, numRuns: Math.ceil(runs / VALUES) })
    console.info(`output: seed ${seed}, ${compared} values`)
    expect(compared).toBeGreaterThan(runs / 10)
  }, 1_800_000)
})
