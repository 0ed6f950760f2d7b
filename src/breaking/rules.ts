// The rules of `koa-smorest openapi breaking`: what each change means for clients that were written
// against the old document. The manual (docs/evolving.md) lists them; a spec compares the two.

/** `ERR` breaks clients, `WARN` may break some, `OK` breaks none. */
export type Level = 'ERR' | 'WARN' | 'OK'

/** Which way a schema goes: clients send requests and read responses. */
export type Way = 'request' | 'response'

export function otherWay(way: Way): Way {
  return way === 'request' ? 'response' : 'request'
}

type Rule = Level | { readonly [W in Way]: Level }

export const RULES = {
  'operation-removed': 'ERR',
  'operation-removed-after-sunset': 'OK',
  'operation-added': 'OK',
  'operation-id-changed': 'WARN',
  'sunset-earlier': 'ERR',
  'sunset-removed': 'ERR',
  'sunset-invalid': 'ERR',
  'server-removed': 'WARN',

  'parameter-renamed': 'WARN',
  'parameter-removed': 'ERR',
  'parameter-removed-after-sunset': 'OK',
  'parameter-added': 'OK',
  'parameter-moved': 'ERR',
  'parameter-serialization-changed': 'ERR',
  'required-parameter-added': { request: 'ERR', response: 'OK' },
  'parameter-became-required': { request: 'ERR', response: 'OK' },
  'parameter-became-optional': { request: 'OK', response: 'ERR' },

  'body-added': 'OK',
  'required-body-added': { request: 'ERR', response: 'OK' },
  'body-removed': 'ERR',
  'body-became-required': { request: 'ERR', response: 'OK' },
  'body-became-optional': { request: 'OK', response: 'ERR' },
  'media-type-removed': 'ERR',
  'media-type-added': 'OK',
  'encoding-changed': 'WARN',

  'success-status-removed': 'ERR',
  'success-status-added': { request: 'OK', response: 'WARN' },
  'status-removed': 'OK',
  'status-added': 'OK',
  'required-header-removed': 'ERR',
  'header-removed': 'WARN',
  'header-added': 'OK',
  'header-became-optional': { request: 'OK', response: 'ERR' },
  'header-became-required': { request: 'ERR', response: 'OK' },

  'security-required': 'ERR',
  'security-alternative-removed': 'ERR',
  'security-alternative-added': 'OK',
  'security-scheme-changed': 'ERR',

  'type-changed': 'ERR',
  'type-narrower': { request: 'ERR', response: 'OK' },
  'type-wider': { request: 'OK', response: 'ERR' },
  'alternative-removed': { request: 'ERR', response: 'OK' },
  'alternative-added': { request: 'OK', response: 'ERR' },
  'discriminator-added': 'WARN',
  'discriminator-removed': 'WARN',
  'discriminator-changed': 'ERR',
  'alternatives-overlap': { request: 'ERR', response: 'OK' },
  'discriminator-value-added': 'OK',
  'enum-added': { request: 'ERR', response: 'OK' },
  'enum-removed': { request: 'OK', response: 'ERR' },
  'enum-value-removed': { request: 'ERR', response: 'OK' },
  'enum-value-added': { request: 'OK', response: 'WARN' },
  'const-changed': 'ERR',
  'bound-set': { request: 'WARN', response: 'OK' },
  'bound-tighter': { request: 'ERR', response: 'OK' },
  'bound-looser': { request: 'OK', response: 'ERR' },
  'bound-removed': { request: 'OK', response: 'WARN' },
  'length-bound-removed': { request: 'OK', response: 'ERR' },
  'multiple-of-added': { request: 'ERR', response: 'OK' },
  'multiple-of-changed': 'ERR',
  'unique-items-added': { request: 'ERR', response: 'OK' },
  'pattern-added': { request: 'ERR', response: 'OK' },
  'pattern-changed': { request: 'ERR', response: 'WARN' },
  'pattern-removed': { request: 'OK', response: 'WARN' },
  'format-added': { request: 'ERR', response: 'OK' },
  'format-changed': { request: 'ERR', response: 'WARN' },
  'format-removed': { request: 'OK', response: 'WARN' },
  'default-changed': { request: 'WARN', response: 'OK' },
  'property-added': 'OK',
  'required-property-added': { request: 'ERR', response: 'OK' },
  'property-became-required': { request: 'ERR', response: 'OK' },
  'property-became-optional': { request: 'OK', response: 'ERR' },
  'property-removed': 'WARN',
  'property-removed-after-sunset': 'OK',
  'closed-property-removed': 'ERR',
  'required-property-removed': { request: 'WARN', response: 'ERR' },
  'additional-properties-refused': { request: 'ERR', response: 'OK' },
  'additional-properties-accepted': 'OK',
  'constraint-added': { request: 'ERR', response: 'OK' },
  'constraint-removed': { request: 'OK', response: 'ERR' },
  'constraint-changed': 'ERR',
  'not-compared': 'WARN',
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof RULES

/** The level of a change; `way` matters if the rule depends on it. */
export function levelOf(id: RuleId, way: Way): Level {
  const rule: Rule = RULES[id]
  return typeof rule === 'string' ? rule : rule[way]
}

/**
 * The instant of `x-sunset` or `--today` in milliseconds; the start of a day. Undefined for any
 * other string.
 */
export function momentOf(text: unknown): number | undefined {
  if (text instanceof Date) return text.getTime()
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text))
    return undefined
  const time = new Date(text).getTime()
  return Number.isNaN(time) ? undefined : time
}
