import type * as t from 'io-ts'
import { isDecimal, isEmail, isUuid } from './formats.js'
import { scalar } from './scalar-codec.js'

/** A whole number that a double holds exactly, in JSON `1.0` too; never -0. As text `0|-?[1-9][0-9]*`. */
export const int: t.Type<number> = scalar('int', { type: 'integer' })

/** A finite number. As text it is spelled as in JSON, exponent included. */
export const float: t.Type<number> = scalar('float', { type: 'number' })

/** A boolean. As text exactly `true` or `false`. */
export const bool: t.Type<boolean> = scalar('bool', { type: 'boolean' })

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/

/** A UUID (RFC 9562): any case and any version comes in, lower case goes on and out. */
export const uuid: t.Type<string> = scalar('uuid', {
  type: 'string',
  noun: 'a UUID',
  test: matching(isUuid, 'Not a UUID.'),
  // the format admits the prefix `urn:uuid:`, this codec does not
  schema: { format: 'uuid', pattern: UUID.source },
  conversion: { decode: lowerCase, encode: lowerCase },
})

const DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/

/** A decimal number as a string, which loses nothing: amounts of money. */
export const decimal: t.Type<string> = scalar('decimal', {
  type: 'string',
  noun: 'a decimal number in a string',
  test: matching(isDecimal, 'Not a decimal number.'),
  schema: { pattern: DECIMAL.source },
})

const EMAIL_NAME = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
// at most 63 octets (RFC 1035, section 2.3.4)
const EMAIL_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
// What "format" does not say: no quoted names, no IP addresses, a domain of at least two labels. That a name has at most 64 octets
// (RFC 5321, section 4.5.3.1.1) is left to the format, since it would need a lookahead, which the regular expressions of Go and Rust
// lack: a tool written in one of them refuses the whole document.
const EMAIL = new RegExp(
  `^${EMAIL_NAME}(?:\\.${EMAIL_NAME})*@(?:${EMAIL_LABEL}\\.)+${EMAIL_LABEL}$`,
)

/** An e-mail address in ASCII: at most 64 octets before the `@`, and a domain of at least two labels. */
export const email: t.Type<string> = scalar('email', {
  type: 'string',
  noun: 'an email address',
  test: matching(isEmail, 'Not an email address.'),
  schema: { format: 'email', pattern: EMAIL.source },
})

function matching(
  holds: (value: string) => boolean,
  message: string,
): (value: string) => string | undefined {
  return value => (holds(value) ? undefined : message)
}

function lowerCase(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined
}
