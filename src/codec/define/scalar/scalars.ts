import type * as t from 'io-ts'
import { scalar } from './scalar-codec.js'

/**
 * A whole number that a double holds exactly, in JSON `1.0` too; never -0. On a text wire
 * `0|-?[1-9][0-9]*`.
 */
export const int: t.Type<number> = scalar('int', { type: 'integer' })

const [LEAST_INT32, MOST_INT32] = [-(2 ** 31), 2 ** 31 - 1]

/** A whole number of 32 bits, from -2147483648 to 2147483647; otherwise as `int`. */
export const int32: t.Type<number> = scalar('int32', {
  type: 'integer',
  test: matching(
    (value: number) => value >= LEAST_INT32 && value <= MOST_INT32,
    `Must lie between ${LEAST_INT32} and ${MOST_INT32}.`,
  ),
  schema: { format: 'int32', minimum: LEAST_INT32, maximum: MOST_INT32 },
})

/** A whole number of 64 bits as far as a double is exact, and one that is exact throughout. */
export interface Int64Codec extends t.Type<number> {
  /**
   * The value is a bigint from -2^63 to 2^63 - 1. In JSON it is a string of digits, since
   * `JSON.parse` would have rounded a number; on a text wire it is digits. Spelled like `int`.
   */
  readonly asBigInt: t.Type<bigint, string>
}

// A pattern that includes the range, so that values generated from the document fit.
const INT64 = new RegExp(
  `^(?:0|-?(?:${belowPattern('9223372036854775808')})|-9223372036854775808)$`,
)

/** The pattern of the digits of all numbers from 1 to one below these digits. */
function belowPattern(digits: string): string {
  const shorter = `[1-9][0-9]{0,${digits.length - 2}}`
  const equal = [...digits].flatMap((digit, index) => {
    const least = index === 0 ? 1 : 0
    if (Number(digit) <= least) return []
    const rest = digits.length - index - 1
    return `${digits.slice(0, index)}[${least}-${Number(digit) - 1}]${rest > 0 ? `[0-9]{${rest}}` : ''}`
  })
  return [shorter, ...equal].join('|')
}

/**
 * A whole number, documented with the format `int64`. Its range is that of `int`, -(2^53 - 1) to
 * 2^53 - 1; `int64.asBigInt` has all 64 bits.
 */
export const int64: Int64Codec = Object.assign(
  scalar<number>('int64', { type: 'integer', schema: { format: 'int64' } }),
  {
    asBigInt: scalar<bigint, string>('int64.asBigInt', {
      type: 'string',
      isNumber: true,
      noun: 'a whole number of 64 bits in a string',
      test: matching(value => INT64.test(value), 'Not a whole number of 64 bits.'),
      schema: { format: 'int64', pattern: INT64.source },
      conversion: {
        decode: BigInt,
        encode: value =>
          typeof value === 'bigint' && BigInt.asIntN(64, value) === value
            ? String(value)
            : undefined,
      },
    }),
  },
)

/** A finite number. On a text wire it is spelled as in JSON, exponent included. */
export const float: t.Type<number> = scalar('float', { type: 'number' })

/**
 * A boolean. On a text wire exactly `true` or `false`; `t.boolean` also accepts `True`, `1`, `on` …
 */
export const bool: t.Type<boolean> = scalar('bool', { type: 'boolean' })

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/

/** A UUID (RFC 9562): any case and any version comes in, lower case goes on and out. */
export const uuid: t.Type<string> = scalar('uuid', {
  type: 'string',
  noun: 'a UUID',
  test: matching(text => UUID.test(text), 'Not a UUID.'),
  // the format admits the prefix `urn:uuid:`, this codec does not
  schema: { format: 'uuid', pattern: UUID.source },
  conversion: { decode: lowerCase, encode: lowerCase },
})

const DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/

/** A decimal number as a string, which loses nothing: amounts of money. */
export const decimal: t.Type<string> = scalar('decimal', {
  type: 'string',
  isNumber: true,
  noun: 'a decimal number in a string',
  test: matching(text => DECIMAL.test(text), 'Not a decimal number.'),
  schema: { pattern: DECIMAL.source },
})

const EMAIL_NAME = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
// at most 63 octets (RFC 1035, section 2.3.4)
const EMAIL_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
// Rules that "format" does not have: no quoted names, no IP addresses, a domain of at least two
// labels. How long a name may be is left to the format, since it would need a lookahead, which the
// regular expressions of Go and Rust lack: a tool written in one of them refuses the whole document.
const EMAIL = new RegExp(
  `^${EMAIL_NAME}(?:\\.${EMAIL_NAME})*@(?:${EMAIL_LABEL}\\.)+${EMAIL_LABEL}$`,
)

/** In octets (RFC 5321, section 4.5.3.1.1). */
const LONGEST_NAME = 64

/**
 * An e-mail address in ASCII: at most 64 octets before the `@`, and a domain of at least two
 * labels.
 */
export const email: t.Type<string> = scalar('email', {
  type: 'string',
  noun: 'an email address',
  test: matching(
    (text: string) => text.indexOf('@') <= LONGEST_NAME && EMAIL.test(text),
    'Not an email address.',
  ),
  schema: { format: 'email', pattern: EMAIL.source },
})

function matching<A = string>(
  holds: (value: A) => boolean,
  message: string,
): (value: A) => string | undefined {
  return value => (holds(value) ? undefined : message)
}

function lowerCase(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined
}
