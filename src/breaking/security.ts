import { isObject, type JsonObject } from '../openapi/schema/json.js'
import { type Change, change } from './change.js'
import type { Operation } from './operations.js'
import type { References } from './references.js'

type Security = Operation['security']
type Alternative = Security[number]

/** The security schemes of two documents. */
export interface Schemes {
  /**
   * Whether a client that has what the first asks for has what the second does; a scheme that was
   * only renamed is the same.
   */
  readonly isSame: (before: string, after: string) => boolean
  /** The changes of schemes that kept their names. */
  readonly changes: readonly { readonly scheme: string; readonly change: Change }[]
}

const DEFINING = ['type', 'in', 'name', 'scheme']

export function schemesOf(
  before: JsonObject,
  after: JsonObject,
  [old, now]: readonly [References, References],
): Schemes {
  const [first, second] = [definitions(before, old), definitions(after, now)]
  const changes = [...first].flatMap(([scheme, definition]) => {
    const other = second.get(scheme)
    const keys = DEFINING.filter(
      key => other && lowerCase(definition[key]) !== lowerCase(other[key]),
    )
    return keys.map(key => ({
      scheme,
      change: change(
        'security-scheme-changed',
        `${key} was ${definition[key] ?? 'nothing'} and is ${other?.[key] ?? 'nothing'}`,
      ),
    }))
  })
  const isRenamed = (was: string, is: string) => {
    const [left, right] = [first.get(was), second.get(is)]
    if (!left || !right || second.has(was) || first.has(is)) return false
    return DEFINING.every(key => lowerCase(left[key]) === lowerCase(right[key]))
  }
  return { isSame: (was, is) => was === is || isRenamed(was, is), changes }
}

function definitions(
  document: JsonObject,
  references: References,
): ReadonlyMap<string, JsonObject> {
  const schemes = isObject(document.components) ? document.components.securitySchemes : undefined
  return new Map(
    Object.entries(isObject(schemes) ? schemes : {}).map(([name, scheme]) => [
      name,
      references.follow(scheme),
    ]),
  )
}

/** Names of header fields and of HTTP's schemes know no case. */
function lowerCase(value: unknown): string {
  return String(value).toLowerCase()
}

/** Each way in that there was has to be there still, with no more to show. */
export function compareSecurity(
  before: Security,
  after: Security,
  schemes: Schemes,
): readonly Change[] {
  const isOpen = (security: Security) => security.some(alternative => alternative.size === 0)
  if (isOpen(before))
    return isOpen(after)
      ? []
      : [change('security-required', `everybody was let in; now ${shownAll(after)} is needed`)]
  const lost = before.filter(old => !after.some(now => isEnough(old, now, schemes)))
  const added = after.filter(
    now =>
      !before.some(old => isEnough(now, old, { isSame: (was, is) => schemes.isSame(is, was) })),
  )
  return [
    ...lost.map(old =>
      change(
        'security-alternative-removed',
        `${shown(old)} was enough; now ${shownAll(after)} is needed`,
      ),
    ),
    ...added.map(now => change('security-alternative-added', `${shown(now)} is enough now`)),
  ]
}

function isEnough(
  given: Alternative,
  needed: Alternative,
  { isSame }: Pick<Schemes, 'isSame'>,
): boolean {
  return [...needed].every(([name, scopes]) => {
    const [, granted] = [...given].find(([other]) => isSame(other, name)) ?? []
    return granted !== undefined && [...scopes].every(scope => granted.has(scope))
  })
}

function shown(alternative: Alternative): string {
  const one = ([name, scopes]: [string, ReadonlySet<string>]) =>
    scopes.size === 0 ? name : `${name} (${[...scopes].join(', ')})`
  return alternative.size === 0 ? 'nothing' : [...alternative].map(one).join(' and ')
}

function shownAll(security: Security): string {
  return security.map(shown).join(' or ')
}
