import { describe, expect, it } from 'vitest'
import { breaking } from '../../src/breaking/breaking.js'
import { documentWith, type Json, type Verdict, verdict, type Written } from './documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const object = (properties: Json, required: readonly string[] = [], rest: Json = {}): Json => ({
  type: 'object',
  properties,
  required,
  ...rest,
})
const closed = (properties: Json, required: readonly string[] = []): Json =>
  object(properties, required, { additionalProperties: false })
const cat = object({ kind: { const: 'cat' }, lives: whole }, ['kind'])
const dog = object({ kind: { const: 'dog' }, name: text }, ['kind'])
const needs = (name: string): Json => object({ a: text, b: text }, [name])
const twoNeeded = object({ a: text, b: text }, ['a', 'b'])
const hasA = object({}, ['a'])
/** Not a literal: a value with a `then` would count as a promise. */
const then = (schema: Json): Json => Object.fromEntries([['then', schema]])
const list = (rest: Json): Json => ({ type: 'array', ...rest })
const animals = {
  schemas: {
    Cat: cat,
    Dog: dog,
    Dog2: object({ kind: { const: 'dog' }, barks: { type: 'boolean' } }, ['kind', 'barks']),
  },
}
const told = (mapping?: Json, propertyName = 'kind'): Json => ({
  oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
  discriminator: { propertyName, ...(mapping && { mapping }) },
})
const [CAT, DOG, DOG2] = ['Cat', 'Dog', 'Dog2'].map(name => `#/components/schemas/${name}`)

/**
 * What changes, the schema before and after, and the verdict: of the change and of its reverse, in
 * requests and in responses.
 */
type Row = readonly [
  change: string,
  before: unknown,
  after: unknown,
  there: { readonly request: Verdict; readonly response: Verdict },
  back: { readonly request: Verdict; readonly response: Verdict },
  written?: Written,
]

const both = (level: Verdict) => ({ request: level, response: level })
const [fine, broken, warned] = [both('OK'), both('ERR'), both('WARN')]
const requestBreaks = { request: 'ERR', response: 'OK' } as const
const responseBreaks = { request: 'OK', response: 'ERR' } as const
const requestWarned = { request: 'WARN', response: 'OK' } as const
const responseWarned = { request: 'OK', response: 'WARN' } as const

const ROWS: readonly Row[] = [
  // types
  ['another type', text, whole, broken, broken],
  ['another type in 3.0', text, whole, broken, broken, { version: '3.0.3' }],
  ['null is allowed too', text, { type: ['string', 'null'] }, responseBreaks, requestBreaks],
  [
    'null is allowed too, in 3.0',
    text,
    { ...text, nullable: true },
    responseBreaks,
    requestBreaks,
    { version: '3.0.3' },
  ],
  [
    'null is an alternative',
    text,
    { anyOf: [text, { type: 'null' }] },
    responseBreaks,
    requestBreaks,
  ],
  [
    'null beside a reference',
    { $ref: CAT },
    { oneOf: [{ $ref: CAT }, { type: 'null' }] },
    responseBreaks,
    requestBreaks,
    animals,
  ],
  [
    'null beside a reference, in 3.0',
    { allOf: [{ $ref: CAT }] },
    { allOf: [{ $ref: CAT }], nullable: true },
    responseBreaks,
    requestBreaks,
    { ...animals, version: '3.0.3' },
  ],
  ['whole numbers become numbers', whole, { type: 'number' }, responseBreaks, requestBreaks],
  [
    'a list of types gets a member',
    { type: ['string', 'integer'] },
    { type: ['string', 'integer', 'boolean'] },
    responseBreaks,
    requestBreaks,
  ],
  ['a type where there was none', {}, text, requestBreaks, responseBreaks],
  ['a boolean schema', true, text, requestBreaks, responseBreaks],
  // values
  [
    'an enum if any text was allowed',
    text,
    { ...text, enum: ['a', 'b'] },
    requestBreaks,
    responseBreaks,
  ],
  ['an enum without a type', text, { enum: ['a', 'b'] }, requestBreaks, responseBreaks],
  [
    'an enum gains a value',
    { ...text, enum: ['a', 'b'] },
    { ...text, enum: ['a', 'b', 'c'] },
    responseWarned,
    requestBreaks,
  ],
  [
    'an enum of numbers gains a value',
    { enum: [1, 2] },
    { type: 'integer', enum: [1, 2, 3] },
    responseWarned,
    requestBreaks,
  ],
  [
    'an enum swaps a value',
    { ...text, enum: ['a', 'b'] },
    { ...text, enum: ['a', 'c'] },
    { request: 'ERR', response: 'WARN' },
    { request: 'ERR', response: 'WARN' },
  ],
  [
    'null joins an enum',
    { type: 'string', enum: ['a', 'b'] },
    { type: ['string', 'null'], enum: ['a', 'b', null] },
    responseBreaks,
    requestBreaks,
  ],
  ['a const if any text was allowed', text, { ...text, const: 'a' }, requestBreaks, responseBreaks],
  ['another const', { const: 'a' }, { const: 'b' }, broken, broken],
  [
    'another const, in 3.0',
    { ...text, enum: ['a'] },
    { ...text, enum: ['b'] },
    broken,
    broken,
    { version: '3.0.3' },
  ],
  ['a const becomes an enum', { const: 'a' }, { enum: ['a', 'b'] }, responseWarned, requestBreaks],
  // bounds
  [
    'maxLength down',
    { ...text, maxLength: 9 },
    { ...text, maxLength: 5 },
    requestBreaks,
    responseBreaks,
  ],
  ['maxLength newly set', text, { ...text, maxLength: 5 }, requestWarned, responseBreaks],
  [
    'minLength up',
    { ...text, minLength: 1 },
    { ...text, minLength: 2 },
    requestBreaks,
    responseBreaks,
  ],
  ['minLength newly set', text, { ...text, minLength: 1 }, requestWarned, responseBreaks],
  [
    'maximum down',
    { ...whole, maximum: 9 },
    { ...whole, maximum: 8 },
    requestBreaks,
    responseBreaks,
  ],
  ['maximum newly set', whole, { ...whole, maximum: 9 }, requestWarned, responseWarned],
  [
    'minimum up',
    { type: 'number', minimum: 1 },
    { type: 'number', minimum: 1.5 },
    requestBreaks,
    responseBreaks,
  ],
  [
    'minimum becomes exclusive',
    { type: 'number', minimum: 1 },
    { type: 'number', exclusiveMinimum: 1 },
    requestBreaks,
    responseBreaks,
  ],
  [
    'minimum becomes exclusive, in 3.0',
    { type: 'number', minimum: 1 },
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    requestBreaks,
    responseBreaks,
    { version: '3.0.3' },
  ],
  [
    'an exclusive maximum newly set',
    { type: 'number' },
    { type: 'number', exclusiveMaximum: 1 },
    requestWarned,
    responseWarned,
  ],
  [
    'minItems up',
    { type: 'array', items: text, minItems: 1 },
    { type: 'array', items: text, minItems: 2 },
    requestBreaks,
    responseBreaks,
  ],
  [
    'maxItems newly set',
    { type: 'array', items: text },
    { type: 'array', items: text, maxItems: 2 },
    requestWarned,
    responseWarned,
  ],
  [
    'maxProperties down',
    object({}, [], { maxProperties: 3 }),
    object({}, [], { maxProperties: 2 }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'items have to be unique',
    { type: 'array', items: text },
    { type: 'array', items: text, uniqueItems: true },
    requestBreaks,
    responseWarned,
  ],
  [
    'multipleOf newly set',
    { type: 'number' },
    { type: 'number', multipleOf: 0.01 },
    requestBreaks,
    responseWarned,
  ],
  [
    'multipleOf coarser',
    { type: 'number', multipleOf: 0.01 },
    { type: 'number', multipleOf: 0.1 },
    requestBreaks,
    responseBreaks,
  ],
  ['multipleOf another', { ...whole, multipleOf: 2 }, { ...whole, multipleOf: 3 }, broken, broken],
  // texts
  ['a pattern', text, { ...text, pattern: '^a' }, requestBreaks, responseWarned],
  [
    'another pattern',
    { ...text, pattern: '^b' },
    { ...text, pattern: '^a' },
    { request: 'ERR', response: 'WARN' },
    { request: 'ERR', response: 'WARN' },
  ],
  ['a format', text, { ...text, format: 'date' }, requestBreaks, responseWarned],
  [
    'another format',
    { ...text, format: 'date-time' },
    { ...text, format: 'date' },
    { request: 'ERR', response: 'WARN' },
    { request: 'ERR', response: 'WARN' },
  ],
  [
    'a default',
    object({ a: text }),
    object({ a: { ...text, default: 'x' } }),
    requestWarned,
    requestWarned,
  ],
  [
    'another default',
    object({ a: { ...text, default: 'x' } }),
    object({ a: { ...text, default: 'y' } }),
    requestWarned,
    requestWarned,
  ],
  // properties
  ['an optional property', object({ a: text }), object({ a: text, b: text }), fine, warned],
  [
    'an optional property, closed',
    closed({ a: text }),
    closed({ a: text, b: text }),
    fine,
    { request: 'ERR', response: 'WARN' },
  ],
  [
    'a required property',
    object({ a: text }),
    object({ a: text, b: text }, ['b']),
    requestBreaks,
    { request: 'WARN', response: 'ERR' },
  ],
  [
    'a required property with a default',
    object({}),
    object({ b: { ...text, default: 'x' } }, ['b']),
    requestBreaks,
    { request: 'WARN', response: 'ERR' },
  ],
  ['a required property, closed', closed({}), closed({ b: text }, ['b']), requestBreaks, broken],
  [
    'a property becomes required',
    object({ a: text }),
    object({ a: text }, ['a']),
    requestBreaks,
    responseBreaks,
  ],
  [
    'a property that is only required',
    object({}),
    object({}, ['a']),
    requestBreaks,
    { request: 'WARN', response: 'ERR' },
  ],
  [
    'undeclared properties are refused',
    object({ a: text }),
    closed({ a: text }),
    requestBreaks,
    fine,
  ],
  [
    'undeclared properties get a type',
    object({}, [], { additionalProperties: whole }),
    object({}, [], { additionalProperties: { type: 'number' } }),
    responseBreaks,
    requestBreaks,
  ],
  [
    'a property becomes read-only',
    object({ a: text }),
    object({ a: { ...text, readOnly: true } }),
    requestWarned,
    fine,
  ],
  [
    'a property becomes read-only, closed',
    closed({ a: text }),
    closed({ a: { ...text, readOnly: true } }),
    requestBreaks,
    fine,
  ],
  [
    'a required property becomes read-only',
    object({ a: text }, ['a']),
    object({ a: { ...text, readOnly: true } }, ['a']),
    requestWarned,
    requestBreaks,
  ],
  [
    'a property becomes write-only',
    object({ a: text }),
    object({ a: { ...text, writeOnly: true } }),
    responseWarned,
    fine,
  ],
  [
    'a required property becomes write-only',
    object({ a: text }, ['a']),
    object({ a: { ...text, writeOnly: true } }, ['a']),
    responseBreaks,
    fine,
  ],
  [
    'a property changes inside',
    object({ a: object({ b: text }) }),
    object({ a: object({ b: whole }) }),
    broken,
    broken,
  ],
  // items
  [
    'items change',
    { type: 'array', items: text },
    { type: 'array', items: { ...text, maxLength: 3 } },
    requestWarned,
    responseBreaks,
  ],
  [
    'an item of a tuple changes',
    { type: 'array', prefixItems: [text, whole] },
    { type: 'array', prefixItems: [text, { type: 'number' }] },
    responseBreaks,
    requestBreaks,
  ],
  [
    'a tuple gets longer',
    { type: 'array', prefixItems: [text], items: false },
    { type: 'array', prefixItems: [text, whole], items: false },
    responseBreaks,
    requestBreaks,
  ],
  // alternatives
  [
    'oneOf gets a member',
    { oneOf: [cat, dog] },
    { oneOf: [cat, dog, text] },
    responseBreaks,
    requestBreaks,
  ],
  [
    'anyOf gets a member',
    { anyOf: [cat, text] },
    { anyOf: [cat, text, dog] },
    responseBreaks,
    requestBreaks,
  ],
  [
    'a reference joins oneOf',
    { oneOf: [{ $ref: CAT }] },
    { oneOf: [{ $ref: CAT }, { $ref: DOG }] },
    responseBreaks,
    requestBreaks,
    animals,
  ],
  [
    'a member changes inside',
    { oneOf: [cat, dog] },
    { oneOf: [cat, { ...dog, required: ['kind', 'name'] }] },
    requestBreaks,
    responseBreaks,
  ],
  [
    'allOf gets an object',
    { allOf: [object({ a: text })] },
    { allOf: [object({ a: text }), object({ b: text }, ['b'])] },
    requestBreaks,
    { request: 'WARN', response: 'ERR' },
  ],
  [
    'allOf gets a bound',
    { allOf: [text] },
    { allOf: [text, { maxLength: 5 }] },
    requestWarned,
    responseBreaks,
  ],
  ['another discriminator', told(), told(undefined, 'type'), broken, broken, animals],
  ['a discriminator that was not there', { anyOf: told().oneOf }, told(), warned, warned, animals],
  [
    'a value stands for another schema',
    told({ cat: CAT, dog: DOG }),
    { ...told({ cat: CAT, dog: DOG2 }), oneOf: [{ $ref: CAT }, { $ref: DOG }, { $ref: DOG2 }] },
    broken,
    broken,
    animals,
  ],
  [
    'a value of the discriminator is renamed',
    told({ cat: CAT, dog: DOG }),
    told({ cat: CAT, hound: DOG }),
    broken,
    broken,
    animals,
  ],
  ['oneOf loses its discriminator', told(), { oneOf: told().oneOf }, warned, warned, animals],
  // oneOf refuses what fits two members
  [
    'a schema becomes one of two that it fits',
    twoNeeded,
    { oneOf: [needs('a'), needs('b')] },
    broken,
    requestBreaks,
  ],
  [
    'anyOf of members that overlap becomes oneOf',
    { anyOf: [needs('a'), needs('b')] },
    { oneOf: [needs('a'), needs('b')] },
    requestBreaks,
    fine,
  ],
  [
    'anyOf of members that do not overlap becomes oneOf',
    { anyOf: [cat, dog] },
    { oneOf: [cat, dog] },
    fine,
    fine,
  ],
  [
    'a number beside an integer',
    { anyOf: [whole, { type: 'number' }] },
    { oneOf: [whole, { type: 'number' }] },
    requestBreaks,
    fine,
  ],
  [
    'a wider member joins oneOf',
    { oneOf: [needs('a')] },
    { oneOf: [needs('a'), object({ a: text, b: text })] },
    broken,
    requestBreaks,
  ],
  [
    'a narrower member joins oneOf',
    { oneOf: [{ type: 'number' }, text] },
    { oneOf: [{ type: 'number' }, text, whole] },
    requestBreaks,
    fine,
  ],
  [
    'a third member joins two that are equal',
    { oneOf: [needs('a'), needs('a')] },
    { oneOf: [needs('a'), needs('a'), needs('a')] },
    fine,
    fine,
  ],
  [
    'a discriminator tells members apart that overlap',
    { anyOf: [needs('a'), needs('b')], discriminator: { propertyName: 'a' } },
    { oneOf: [needs('a'), needs('b')], discriminator: { propertyName: 'a' } },
    fine,
    fine,
  ],
  [
    'one member of oneOf may have parts that overlap',
    { anyOf: [needs('a'), needs('b'), cat] },
    { oneOf: [{ anyOf: [needs('a'), needs('b')] }, cat] },
    fine,
    fine,
  ],
  // keywords that ask for more
  ['not', text, { ...text, not: { const: 'a' } }, requestBreaks, responseBreaks],
  [
    'not refuses more',
    { ...text, not: { maxLength: 2 } },
    { ...text, not: { maxLength: 3 } },
    requestBreaks,
    responseBreaks,
  ],
  [
    'a component that is refused allows more',
    { ...text, not: { $ref: '#/components/schemas/Short' } },
    { ...text, not: { maxLength: 3 } },
    requestBreaks,
    responseBreaks,
    { schemas: { Short: { maxLength: 2 } } },
  ],
  [
    'if',
    object({}),
    object({}, [], { if: object({ a: text }), else: object({}, ['b']) }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'then asks for more',
    object({}, [], { if: hasA, ...then(object({ b: text })) }),
    object({}, [], { if: hasA, ...then(object({ b: text }, ['b'])) }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'then joins if and else',
    object({}, [], { if: hasA, else: object({}, ['c']) }),
    object({}, [], {
      if: hasA,
      else: object({}, ['c']),
      ...then({ required: ['b'], properties: { b: text } }),
    }),
    requestBreaks,
    { request: 'WARN', response: 'ERR' },
  ],
  [
    'another if',
    object({}, [], { if: hasA, else: object({}, ['b']) }),
    object({}, [], { if: object({}, ['c']), else: object({}, ['b']) }),
    broken,
    broken,
  ],
  ['contains', list({}), list({ contains: text }), requestBreaks, responseBreaks],
  [
    'contains asks for more',
    list({ contains: text }),
    list({ contains: { ...text, pattern: 'a' } }),
    requestBreaks,
    responseWarned,
  ],
  [
    'contains asks for other items, of which there may be few',
    list({ contains: text, maxContains: 2 }),
    list({ contains: { ...text, pattern: 'a' }, maxContains: 2 }),
    broken,
    broken,
  ],
  [
    'minContains',
    list({ contains: text }),
    list({ minContains: 2, contains: text }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'maxContains',
    list({ contains: text, maxContains: 3 }),
    list({ contains: text, maxContains: 2 }),
    requestBreaks,
    responseBreaks,
  ],
  ['minContains without contains', list({}), list({ minContains: 2 }), fine, fine],
  [
    'patternProperties',
    object({}),
    object({}, [], { patternProperties: { '^x': text } }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'patternProperties of a closed object',
    closed({}),
    { ...closed({}), patternProperties: { '^x': text } },
    fine,
    requestBreaks,
  ],
  [
    'a schema of patternProperties',
    object({}, [], { patternProperties: { '^x': text } }),
    object({}, [], { patternProperties: { '^x': whole } }),
    broken,
    broken,
  ],
  [
    'propertyNames',
    object({}),
    object({}, [], { propertyNames: { maxLength: 3 } }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'shorter propertyNames',
    object({}, [], { propertyNames: { maxLength: 3 } }),
    object({}, [], { propertyNames: { maxLength: 2 } }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'dependentRequired',
    object({}),
    object({}, [], { dependentRequired: { a: ['b'] } }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'dependentRequired asks for another property',
    object({}, [], { dependentRequired: { a: ['b'] } }),
    object({}, [], { dependentRequired: { a: ['c'] } }),
    broken,
    broken,
  ],
  [
    'dependentSchemas',
    object({}),
    object({}, [], { dependentSchemas: { a: object({}, ['b']) } }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'dependentSchemas ask for more',
    object({}, [], { dependentSchemas: { a: object({ b: text }) } }),
    object({}, [], { dependentSchemas: { a: object({ b: text }, ['b']) } }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'unevaluatedProperties',
    object({}),
    object({}, [], { unevaluatedProperties: false }),
    requestBreaks,
    responseBreaks,
  ],
  [
    'unevaluatedItems',
    list({ prefixItems: [text] }),
    list({ prefixItems: [text], unevaluatedItems: false }),
    requestBreaks,
    responseBreaks,
  ],
  ['contentEncoding', text, { ...text, contentEncoding: 'base64' }, requestBreaks, responseBreaks],
  [
    'another contentEncoding',
    { ...text, contentEncoding: 'base64' },
    { ...text, contentEncoding: 'base32' },
    broken,
    broken,
  ],
  [
    'another contentMediaType',
    { ...text, contentMediaType: 'text/csv' },
    { ...text, contentMediaType: 'text/html' },
    broken,
    broken,
  ],
  [
    'contentSchema asks for more',
    { ...text, contentSchema: object({ a: text }) },
    { ...text, contentSchema: object({ a: text }, ['a']) },
    requestBreaks,
    responseBreaks,
  ],
  [
    'a keyword about objects beside a text',
    text,
    { ...text, dependentRequired: { a: ['b'] } },
    fine,
    fine,
  ],
  ['$dynamicRef', text, { ...text, $dynamicRef: '#node' }, warned, warned],
  // patterns that every text fits
  [
    'a pattern becomes one that every text fits',
    { ...text, pattern: '^a$' },
    { ...text, pattern: '.*' },
    responseWarned,
    requestBreaks,
  ],
  // defaults
  [
    'a required property gets a default',
    object({ a: text }, ['a']),
    object({ a: { ...text, default: 'x' } }, ['a']),
    fine,
    fine,
  ],
  [
    'a required property becomes optional, with a default',
    object({ a: text }, ['a']),
    object({ a: { ...text, default: 'x' } }),
    responseBreaks,
    { request: 'ERR', response: 'OK' },
  ],
]

describe('a change of a schema', () => {
  const directions = ROWS.flatMap(([change, before, after, there, back, written]) => [
    { change, before, after, expected: there, written },
    { change: `${change}, reversed`, before: after, after: before, expected: back, written },
  ])

  it.each(directions)(
    'is judged for requests and for responses: $change',
    ({ before, after, expected, written }) => {
      const judged = (way: 'request' | 'response') =>
        verdict(documentWith(way, before, written), documentWith(way, after, written))
      expect({ request: judged('request'), response: judged('response') }).toEqual(expected)
    },
  )
})

/** The same, written otherwise. */
const SAME: readonly (readonly [
  case_: string,
  before: unknown,
  after: unknown,
  written?: Written,
  afterwards?: Written,
])[] = [
  [
    'texts',
    { ...text, description: 'A', example: 'a' },
    { ...text, description: 'B', title: 'B', deprecated: true },
  ],
  [
    'null in 3.0 and 3.1',
    { ...text, nullable: true },
    { type: ['string', 'null'] },
    { version: '3.0.3' },
    { version: '3.1.0' },
  ],
  [
    'null as a type and as an alternative',
    { type: ['string', 'null'] },
    { anyOf: [{ type: 'null' }, text] },
  ],
  [
    'an exclusive bound in 3.0 and 3.1',
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    { type: 'number', exclusiveMinimum: 1 },
    { version: '3.0.3' },
    { version: '3.1.0' },
  ],
  ['a bound of whole numbers', { ...whole, exclusiveMinimum: 0 }, { ...whole, minimum: 1 }],
  ['const and enum of one', { ...text, const: 'a' }, { enum: ['a'] }],
  ['values as alternatives', { enum: ['a', 'b'] }, { anyOf: [{ const: 'b' }, { const: 'a' }] }],
  ['a list of types and alternatives', { type: ['string', 'integer'] }, { anyOf: [whole, text] }],
  ['anyOf and oneOf', { anyOf: [cat, dog] }, { oneOf: [dog, cat] }],
  ['a component and what it holds', { $ref: CAT }, cat, animals, animals],
  [
    'a component under another name',
    { $ref: CAT },
    { $ref: '#/components/schemas/Feline' },
    animals,
    { schemas: { Feline: cat } },
  ],
  [
    'a reference alone and in allOf',
    { $ref: CAT },
    { allOf: [{ $ref: CAT }], description: 'A cat' },
    animals,
    animals,
  ],
  [
    'objects in allOf and merged',
    { allOf: [object({ a: text }, ['a']), object({ b: text })] },
    object({ a: text, b: text }, ['a']),
  ],
  [
    'closed objects in allOf and merged',
    { allOf: [closed({ a: text, b: text }), object({ b: { maxLength: 3 } })] },
    closed({ a: text, b: { ...text, maxLength: 3 } }),
  ],
  [
    'a member that another one covers',
    { anyOf: [text, { ...text, maxLength: 3 }] },
    { anyOf: [{ maxLength: 3, ...text }, text] },
  ],
  ['minLength 0', { ...text, minLength: 0 }, text],
  [
    'additionalProperties that allow everything',
    object({ a: text }, [], { additionalProperties: {} }),
    object({ a: text }),
  ],
]

describe('two ways to write a schema', () => {
  it.each(
    SAME.map(([same, before, after, written, afterwards = written]) => ({
      same,
      before,
      after,
      written,
      afterwards,
    })),
  )('are no change: $same', ({ before, after, written, afterwards }) => {
    for (const way of ['request', 'response'] as const) {
      const [old, now] = [documentWith(way, before, written), documentWith(way, after, afterwards)]
      expect({ there: breaking(old, now), back: breaking(now, old) }).toEqual({
        there: [],
        back: [],
      })
    }
  })
})

describe('a recursion', () => {
  const tree = (value: Json): Written => ({
    schemas: {
      Tree: object({
        value,
        children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
      }),
      Node: { anyOf: [{ $ref: '#/components/schemas/Tree' }, { type: 'null' }] },
    },
  })
  const root = { $ref: '#/components/schemas/Tree' }

  it('is judged once, if the change is', () => {
    const found = breaking(
      documentWith('response', root, tree(text)),
      documentWith('response', root, tree(whole)),
    )
    expect(found).toEqual([
      expect.objectContaining({
        rule: 'type-changed',
        operation: 'POST /pets',
        where: 'response 200 application/json',
        at: 'Tree.value',
      }),
    ])
  })

  it('that is unchanged gives nothing', () => {
    expect(
      breaking(
        documentWith('request', root, tree(text)),
        documentWith('request', root, tree(text)),
      ),
    ).toEqual([])
  })

  it('may be of any length, and as tangled as it likes', () => {
    const chain = (value: Json) =>
      Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [
          `S${index}`,
          object(
            index === 999 ? { value } : { next: { $ref: `#/components/schemas/S${index + 1}` } },
          ),
        ]),
      )
    const first = { $ref: '#/components/schemas/S0' }
    const long = (value: Json) => documentWith('response', first, { schemas: chain(value) })
    expect(breaking(long(text), long(whole))).toMatchObject([{ at: 'S999.value' }])

    const tangle = (value: Json) =>
      Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => {
          const others = [1, 4, 7].map(step => ({
            $ref: `#/components/schemas/S${(index + step) % 20}`,
          }))
          return [
            `S${index}`,
            object({
              [`own${index}`]: index === 10 ? value : text,
              one: { anyOf: others },
              many: { type: 'array', items: { oneOf: others } },
            }),
          ]
        }),
      )
    const tangled = (value: Json) => documentWith('response', first, { schemas: tangle(value) })
    expect(breaking(tangled(text), tangled(whole))).toMatchObject([{ at: 'S10.own10' }])
  })
})

describe('an enum of one value', () => {
  const found = (before: readonly string[], after: readonly string[]) =>
    breaking(
      documentWith('response', { ...text, enum: before }),
      documentWith('response', { ...text, enum: after }),
    ).map(one => `${one.rule}: ${one.text}`)

  it('that has another one is reported as one change', () => {
    expect(found(['a'], ['b'])).toEqual(['const-changed: the only value was "a" and is "b"'])
  })

  it('that has several others is reported value by value', () => {
    expect(found(['a'], ['b', 'c'])).toEqual([
      'enum-value-added: "b" is a new value',
      'enum-value-added: "c" is a new value',
    ])
    expect(found(['b', 'c'], ['a'])).toEqual(['enum-value-added: "a" is a new value'])
  })
})

describe('a constraint', () => {
  const found = (before: Json, after: Json, written?: Written) =>
    breaking(documentWith('request', before, written), documentWith('request', after, written)).map(
      ({ rule, at, text: told }) => ({ rule, at, told }),
    )

  it('names the keyword, and where the change is inside of it', () => {
    expect(
      found(
        object({}, [], { dependentRequired: { card: ['name'] }, if: hasA, ...then(object({})) }),
        object({}, [], {
          dependentRequired: { card: ['name', 'bill'] },
          if: hasA,
          ...then(object({ b: text }, ['b'])),
        }),
      ),
    ).toEqual([
      { rule: 'required-property-added', at: '(then).b', told: 'is new, and required' },
      { rule: 'constraint-added', at: '', told: 'dependentRequired of "card": "bill" is new' },
    ])
  })

  it('of oneOf names the members that overlap', () => {
    const schemas = { A: needs('a'), B: needs('b') }
    const refs = ['A', 'B'].map(name => ({ $ref: `#/components/schemas/${name}` }))
    expect(found({ anyOf: refs }, { oneOf: refs }, { schemas })).toEqual([
      {
        rule: 'alternatives-overlap',
        at: '',
        told: 'a value that fits both A and B was allowed and is not: only one of oneOf may fit',
      },
    ])
  })

  it.each([
    ['a renamed component', 'Old', [], []],
    ['a new component, which is narrower', 'Part', [{ $ref: '#/components/schemas/B' }], ['a']],
  ])('of oneOf may have %s inside', (_what, name, more, required) => {
    const part = (to: string) => object({ part: { $ref: `#/components/schemas/${to}` } }, ['part'])
    const A = { $ref: '#/components/schemas/A' }
    const [before, after] = [
      { schemas: { A: part(name), [name]: object({ a: text }) } },
      {
        schemas: {
          A: part('Part'),
          Part: object({ a: text }),
          B: part('Narrow'),
          Narrow: object({ a: text }, required),
        },
      },
    ].map((written, index) =>
      documentWith(
        'request',
        { oneOf: index === 0 ? [A, text] : [A, text, whole, ...more] },
        written,
      ),
    )
    expect(breaking(before as never, after as never).map(({ rule }) => rule)).toEqual(
      more.length === 0 ? [] : ['alternatives-overlap'],
    )
  })

  it('that two parts of allOf have is there twice', () => {
    const not = (value: string) => ({ ...text, not: { const: value } })
    expect(found({ allOf: [not('a'), not('b')] }, { allOf: [not('b'), not('a')] })).toEqual([])
    expect(found(not('a'), { allOf: [not('a'), not('b')] })).toEqual([
      { rule: 'constraint-added', at: '', told: 'not is new' },
    ])
  })
})

describe('the sunset of a property', () => {
  const old = (rest: Json) => object({ a: { ...text, ...rest }, b: text })
  const judged = (before: Json, after: Json) => ({
    request: verdict(documentWith('request', before), documentWith('request', after)),
    response: verdict(documentWith('response', before), documentWith('response', after)),
  })

  it.each<[string, Json, Row[3]]>([
    ['has passed', { deprecated: true, 'x-sunset': '2026-11-21' }, fine],
    ['is to come', { deprecated: true, 'x-sunset': '2026-11-23' }, warned],
    ['is one of a property that is not deprecated', { 'x-sunset': '2026-11-21' }, warned],
    ['was not announced', { deprecated: true }, warned],
  ])('decides whether it may be gone: it %s', (_case, rest, expected) => {
    expect(judged(old(rest), object({ b: text }))).toEqual(expected)
  })

  it('may not come nearer, go, or become something else than a day', () => {
    const at = (sunset?: string) => old({ deprecated: true, ...(sunset && { 'x-sunset': sunset }) })
    const rules = (before: Json, after: Json) =>
      breaking(documentWith('response', before), documentWith('response', after)).map(
        ({ rule, at: place }) => `${rule} ${place}`,
      )
    expect(rules(at('2027-05-01'), at('2027-04-01'))).toEqual(['sunset-earlier .a'])
    expect(rules(at('2027-05-01'), at())).toEqual(['sunset-removed .a'])
    expect(rules(at(), at('soon'))).toEqual(['sunset-invalid .a'])
    expect(rules(at('soon'), at('soon'))).toEqual([])
    expect(rules(at('soon'), at('2027-05-01'))).toEqual([])
    expect(rules(at('2027-05-01'), at('2027-06-01'))).toEqual([])
  })
})
