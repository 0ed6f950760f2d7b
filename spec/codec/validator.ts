import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type * as t from 'io-ts'
import type { Shape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'

const loose = new Ajv2020({ strict: true })
addFormats.default(loose)

const ajv = new Ajv2020({ strict: true })
addFormats.default(ajv)
// ajv reads two formats more loosely than their standards: RFC 3339, section 5.6, and RFC 5321,
// section 4.5.3.1.1
tighten('date-time', text => /t\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i.test(text))
tighten('email', text => text.indexOf('@') <= 64)

function tighten(format: string, holds: (text: string) => boolean): void {
  const accepts = loose.compile<string>({ type: 'string', format })
  ajv.addFormat(format, text => accepts(text) && holds(text))
}

/**
 * Whether ajv accepts a value by what the shapes of a scalar or a list, and of the bounds around
 * it, say for the document.
 */
export function validatorOf(codec: t.Mixed): (value: unknown) => boolean {
  return ajv.compile({ allOf: keywords(shapeOf(codec)) })
}

function keywords(shape: Shape): object[] {
  if (shape.kind === 'constrained')
    return [...keywords(shape.base), { type: typeOf(shape.base), ...shape.schema }]
  return [{ type: typeOf(shape), ...(shape.kind === 'scalar' && shape.schema) }]
}

function typeOf(shape: Shape): string {
  if (shape.kind === 'constrained') return typeOf(shape.base)
  return shape.kind === 'scalar' ? shape.type : shape.kind
}
