import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type * as t from 'io-ts'
import type { Shape } from '../../src/codec/shape/shape.js'
import { shapeOf } from '../../src/codec/shape/shape-of.js'

const ajv = new Ajv2020({ strict: true })
addFormats.default(ajv)

/** Whether ajv accepts a value by what the shapes of a scalar or a list, and of the bounds around it, say for the document. */
export function validatorOf(codec: t.Mixed): (value: unknown) => boolean {
  return ajv.compile({ allOf: keywords(shapeOf(codec)) })
}

function keywords(shape: Shape): object[] {
  if (shape.kind === 'constrained') return [...keywords(shape.base), { type: typeOf(shape.base), ...shape.schema }]
  return [{ type: typeOf(shape), ...(shape.kind === 'scalar' && shape.schema) }]
}

function typeOf(shape: Shape): string {
  if (shape.kind === 'constrained') return typeOf(shape.base)
  return shape.kind === 'scalar' ? shape.type : shape.kind
}
