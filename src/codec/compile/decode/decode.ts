import { isJson } from '../../runtime/json-value.js'
import { MAX_RECURSION } from '../../runtime/nesting.js'
import type { Shape } from '../../shape/shape.js'
import { isUpload } from '../../types/upload-type.js'
import { NotCompilable, Source } from '../source/source.js'
import { isRecursive, repeatedParts } from '../source/static-facts.js'
import { arrayBody, tupleBody } from './list.js'
import { objectBody, recordBody } from './object.js'
import {
  type DecodeSettings,
  type Interpret,
  interpreted,
  type ReaderBuilder,
  type Reading,
  resultOf,
  unless,
} from './reading.js'
import { constrainedReading, literalReading, refinedReading, scalarReading } from './scalar.js'
import { unionBody } from './union.js'

/**
 * Compiles a shape to one function that decodes as its decoder does, and returns UNFIT where that returns an Invalid. Parts for which
 * there is no code are left to the decoder that `interpret` returns for them. Of an input in which one object stands in two places, a
 * recursion makes two; JSON has no such inputs. Throws a NotCompilable.
 */
export function compileDecoder(
  shape: Shape,
  settings: DecodeSettings,
  interpret: Interpret,
): (value: unknown) => unknown {
  if (isInterpreted(shape) || repeatedParts(shape).size > 0) throw new NotCompilable()
  // a text is a list of one text, so that a recursion of lists has no end that its value tells
  if (settings.wire === 'text' && isRecursive(shape)) throw new NotCompilable()
  const source = new Source()
  const builder: ReaderBuilder = {
    ...settings,
    source,
    interpret,
    of: (inner, value) => readingOf(inner, value, builder),
    functionOf: inner => source.functionOf(inner, () => bodyOf(inner, builder)),
  }
  return source.make(builder.functionOf(shape))
}

/** The code of a value: its own function, unless it is short. */
function readingOf(shape: Shape, value: string, builder: ReaderBuilder): Reading {
  switch (shape.kind) {
    case 'scalar':
      return scalarReading(shape, value, builder)
    case 'literal':
      return literalReading(shape, value, builder)
    case 'constrained':
      return constrainedReading(shape, value, builder)
    case 'refined':
      return refinedReading(shape, value, builder)
    case 'unknown':
      return { before: unless(`${builder.source.constant(isJson)}(${value})`, builder), value }
    case 'undefined':
      return { before: unless(`${value} === undefined`, builder), value: 'undefined' }
    case 'file':
      return { before: unless(`${builder.source.constant(isUpload)}(${value})`, builder), value }
    default:
      // recursions are counted in one place: in what is compiled, or in what is interpreted
      if (isInterpreted(shape) && isRecursive(shape)) throw new NotCompilable()
      if (isInterpreted(shape)) return interpreted(shape, value, builder)
      return resultOf(`${builder.functionOf(shape)}(${value}, depth)`, builder)
  }
}

/** Whether there is nothing to compile: where a value does not fit, its codec would only be asked twice. */
function isInterpreted(shape: Shape): boolean {
  return (
    shape.kind === 'opaque' ||
    shape.kind === 'intersection' ||
    (shape.kind === 'array' && isInterpreted(shape.item))
  )
}

function bodyOf(shape: Shape, builder: ReaderBuilder): string {
  switch (shape.kind) {
    case 'array':
      return arrayBody(shape, builder)
    case 'tuple':
      return tupleBody(shape, builder)
    case 'object':
      return objectBody(shape, builder)
    case 'record':
      return recordBody(shape, builder)
    case 'union':
      return unionBody(shape, builder)
    case 'recursion':
      return recursionBody(shape.target(), builder)
    default: {
      const { before, value } = readingOf(shape, 'v', builder)
      return `${before}return ${value}\n`
    }
  }
}

function recursionBody(target: Shape, builder: ReaderBuilder): string {
  const level = `if (typeof v === 'object' && v !== null) {\n${unless(`depth < ${MAX_RECURSION}`, builder)}depth += 1\n}\n`
  return `${level}return ${builder.functionOf(target)}(v, depth)\n`
}
