// Cache-Control of responses that several parts of a program restrict (RFC 9111, section 5.2.2).

/** The directives that only restrict: each stays, whoever asked for it. */
const RESTRICTIONS = new Set(['no-store', 'no-cache', 'private', 'must-revalidate', 'no-transform'])

/**
 * Combines two values of Cache-Control. The result has every directive of the first, which also
 * decides on ages, and the restrictions of the second: `no-store`, `no-cache`, `private`,
 * `must-revalidate` and `no-transform`. `private` removes `public` and `s-maxage`. Directives that
 * are limited to fields (`private="X-User"`) do not restrict the response as a whole.
 */
export function combineCacheControl(first: string, second: string): string {
  const directives = directivesIn(first)
  for (const [name, directive] of directivesIn(second))
    if (RESTRICTIONS.has(directive)) directives.set(name, directive)
  if (directives.get('private') === 'private') {
    directives.delete('public')
    directives.delete('s-maxage')
  }
  return [...directives.values()].join(', ')
}

/** Returns whether a value of Cache-Control lets shared caches use the response without asking. */
export function letsShare(value: string): boolean {
  const directives = directivesIn(value)
  return (
    ['public', 'max-age', 's-maxage'].some(name => directives.has(name)) &&
    !['private', 'no-store', 'no-cache'].some(name => directives.get(name) === name)
  )
}

/** Returns the directives by name. A directive without an argument is in lower case. */
function directivesIn(value: string): Map<string, string> {
  const directives = new Map<string, string>()
  for (const [part] of value.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g)) {
    const directive = part.trim()
    const equals = directive.indexOf('=')
    const name = (equals < 0 ? directive : directive.slice(0, equals)).toLowerCase()
    if (name !== '') directives.set(name, equals < 0 ? name : directive)
  }
  return directives
}
