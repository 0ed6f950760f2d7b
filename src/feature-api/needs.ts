import type { Route } from './feature.js'

/** The features of the library that give a named value, for messages. */
const GIVEN_BY: Readonly<Record<string, string>> = {
  current: 'etag({ load })',
  principal: 'secure(…)',
  transaction: 'idempotent({ store })',
  paginationParameters: 'paginate()',
  lastEventId: 'events(…, { id })',
}

/** Returns the faults of features that need a named value which nothing gives. */
export function unmetNeeds({
  rule,
  features,
}: Pick<Route, 'rule' | 'features'>): readonly string[] {
  const given = new Set([
    'signal',
    ...rule.parameters.map(({ name }) => name),
    ...features.flatMap(({ gives = [] }) => gives),
  ])
  return features.flatMap(({ kind = 'a feature', needs = [] }) =>
    needs
      .filter(name => !given.has(name))
      .map(name => {
        const remedy = GIVEN_BY[name] ?? `a feature that gives it, or a parameter of the path`
        return `${kind} needs \`${name}\`: add ${remedy}`
      }),
  )
}
