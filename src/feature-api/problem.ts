// Failures that an application declares: documented with the operations that list them, and typed
// from the method to the client.
import { STATUS_CODES } from 'node:http'
import type * as t from 'io-ts'
import { encoderOf } from '../codec/encode/encode.js'
import { requireCodec } from '../codec/shape/annotations.js'
import type { ObjectShape, Shape } from '../codec/shape/shape.js'
import { shapeOf } from '../codec/shape/shape-of.js'
import type { BareSchema } from '../codec/types/standard-type.js'
import type { OutputOf } from '../codec/types/types.js'
import { type FailureDetails, ProblemFailure } from '../http/failure.js'
import { shown } from '../names.js'
import { anything, errorStatus, type Rules, required, requireOptions, string } from '../options.js'

/**
 * A declared failure: call it with its data for one occurrence, or pass it to `abort` and
 * `altResponse`. Created by `problem`.
 */
export interface ProblemType<
  Name extends string = string,
  Status extends number = number,
  Given extends readonly unknown[] = never[],
  Data extends t.Mixed | undefined = t.Mixed | undefined,
> {
  (...given: Given): ProblemFailure<Name>
  readonly problem: { readonly name: Name; readonly status: Status; readonly title: string }
  /** The codec of its data. */
  readonly data: Data
}

/** The properties that all occurrences of a problem share. */
export interface ProblemOptions<Status extends number> {
  /** 400 to 599. */
  readonly status: Status
  /** The title of this type of problem. Default: the phrase of the status. */
  readonly title?: string
}

/**
 * Declares a failure: `const OutOfStock = problem('out-of-stock', { status: 409, title: 'Out of
 * stock', data: t.strict({ left: int }) })`. List it with `altResponse(OutOfStock)`, fail with
 * `abort(OutOfStock, { left: 3 })` or, in fp-ts, `left(OutOfStock({ left: 3 }))`. `data` is an
 * object codec, whose fields become members of the error body. Throws a TypeError if the name
 * cannot be part of a URL, an option is unknown, the status is not an error status, or the data is
 * not an object or has a field whose name is reserved for errors.
 */
export function problem<const Name extends string, const Status extends number>(
  name: Name,
  options: ProblemOptions<Status> & { readonly data?: undefined },
): ProblemType<Name, Status, [details?: FailureDetails], undefined>
export function problem<const Name extends string, const Status extends number, C extends t.Mixed>(
  name: Name,
  options: ProblemOptions<Status> & {
    readonly data: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard')
  },
): ProblemType<Name, Status, [data: OutputOf<C>, details?: FailureDetails], C>
export function problem(
  name: string,
  options: ProblemOptions<number> & { readonly data?: t.Mixed | undefined },
): ProblemType {
  if (typeof name !== 'string' || !/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(name))
    throw new TypeError(`problem(): the name is part of a URL, which ${shown(name)} cannot be`)
  requireOptions(`problem(${name})`, options, RULES)
  const { status, title = STATUS_CODES[status] ?? 'Error', data } = options
  if (data !== undefined) requireCodec(`problem(${name}): data takes`, data)
  if (data) checkData(name, data)
  const encode = data && encoderOf(data)
  const declared = { name, status, title }
  const occur = (...given: readonly unknown[]): ProblemFailure => {
    const members = encode ? (encode(given[0]) as Record<string, unknown>) : {}
    return new ProblemFailure(
      { ...declared, members },
      given[encode ? 1 : 0] as FailureDetails | undefined,
    )
  }
  return Object.assign(occur as (...given: never[]) => ProblemFailure, { problem: declared, data })
}

const RULES: Rules<ProblemOptions<number> & { readonly data?: t.Mixed | undefined }> = {
  status: required(errorStatus),
  title: string,
  data: anything,
}

/** Returns whether a value was created by `problem`. */
export function isProblemType(value: unknown): value is ProblemType {
  return typeof value === 'function' && 'problem' in value
}

const RESERVED = new Set([
  'type',
  'title',
  'status',
  'detail',
  'instance',
  'errors',
  'code',
  'message',
  'problem',
])

function checkData(name: string, codec: t.Mixed): void {
  const shape = objectOf(shapeOf(codec))
  if (!shape || shape.rest)
    throw new TypeError(
      `problem(${name}): its data is an object with fields of its own, such as t.strict({ … })`,
    )
  for (const field of shape.fields) {
    if (RESERVED.has(field.name))
      throw new TypeError(
        `problem(${name}): errors have a member ${field.name} already, so its data cannot`,
      )
  }
}

function objectOf(shape: Shape): ObjectShape | undefined {
  return shape.kind === 'constrained'
    ? objectOf(shape.base)
    : shape.kind === 'object'
      ? shape
      : undefined
}
