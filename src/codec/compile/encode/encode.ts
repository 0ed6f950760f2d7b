import { type Encode, Unfit } from '../../runtime/encoding.js'
import { valueToJson } from '../../runtime/json-value.js'
import { MAX_RECURSION } from '../../runtime/nesting.js'
import type { Shape } from '../../shape/shape.js'
import { literal, NotCompilable, Source } from '../source/source.js'
import { isRecursive } from '../source/static-facts.js'
import { arrayBody, tupleBody } from './list.js'
import { hasAnyName, isInOrder, objectBody, recordBody } from './object.js'
import { constrainedWriting, literalWriting, scalarWriting } from './scalar.js'
import { isDecided, unionBody } from './union.js'
import { resultOf, type Write, type WriterBuilder, type Writing } from './writing.js'

/**
 * Compiles a shape to one function that writes values as JSON text: the text of what the encoder returns, without building it. Parts
 * for which there is no code are left to the encoder that `interpret` returns for them. Throws a NotCompilable.
 */
export function compileWriter(shape: Shape, interpret: (shape: Shape) => Encode): Write {
  const source = new Source()
  const builder: WriterBuilder = {
    source,
    interpret,
    of: (inner, value) => writingOf(inner, value, builder),
    functionOf: inner =>
      source.functionOf(inner, () => bodyOf(inner, builder) ?? leafBody(inner, builder)),
  }
  return source.make(builder.functionOf(shape)) as Write
}

/** The code of a value: its own function, unless it is short. */
function writingOf(shape: Shape, value: string, builder: WriterBuilder): Writing {
  switch (shape.kind) {
    case 'scalar':
      return scalarWriting(shape, value, builder)
    case 'literal':
      return literalWriting(shape, value, builder)
    case 'constrained':
      return constrainedWriting(shape, value, builder)
    case 'refined':
      return builder.of(shape.base, value)
    case 'unknown':
      return resultOf(`${builder.source.constant(valueToJson)}(${value})`, builder)
    default:
      return hasBody(shape)
        ? resultOf(`${builder.functionOf(shape)}(${value}, depth)`, builder)
        : interpreted(shape, value, builder)
  }
}

/** Whether there is code for all of what is between the braces or brackets of the shape. */
function hasBody(shape: Shape): boolean {
  switch (shape.kind) {
    case 'array':
    case 'tuple':
    case 'recursion':
      return true
    case 'object':
      return isInOrder(shape)
    case 'record':
      return hasAnyName(shape)
    case 'union':
      return isDecided(shape)
    default:
      return false
  }
}

function bodyOf(shape: Shape, builder: WriterBuilder): string | undefined {
  if (!hasBody(shape)) return undefined
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
    default:
      return undefined
  }
}

function leafBody(shape: Shape, builder: WriterBuilder): string {
  const { before, text, after } = writingOf(shape, 'v', builder)
  return `${before}return ${text('')} + ${literal(after)}\n`
}

function recursionBody(target: Shape, { functionOf }: WriterBuilder): string {
  const level = `if (typeof v === 'object' && v !== null) {\nif (depth === ${MAX_RECURSION}) return\ndepth += 1\n}\n`
  return `${level}return ${functionOf(target)}(v, depth)\n`
}

function interpreted(shape: Shape, value: string, builder: WriterBuilder): Writing {
  // recursions are counted in one place: in what is compiled, or in what is interpreted
  if (isRecursive(shape)) throw new NotCompilable()
  const encode = builder.interpret(shape)
  const write: Write = given => {
    const wire = encode(given)
    return wire instanceof Unfit ? undefined : JSON.stringify(wire)
  }
  return resultOf(`${builder.source.constant(write)}(${value})`, builder)
}
