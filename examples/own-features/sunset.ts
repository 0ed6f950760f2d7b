import type { Feature } from 'koa-smorest'

/** When the operation was deprecated, and where that is explained. */
export interface SunsetOptions {
  readonly since: Date
  readonly link?: string
}

/**
 * Announces on every response, errors included, that the operation ends at this date (RFC 8594, RFC
 * 9745).
 */
export function sunset(
  date: Date,
  { since, link }: SunsetOptions,
): Feature<Record<never, never>, 'sunset'> {
  const fields: [name: string, value: string, description: string][] = [
    ['Deprecation', `@${Math.floor(since.getTime() / 1000)}`, 'When the operation was deprecated.'],
    ['Sunset', date.toUTCString(), 'When the operation will end.'],
  ]
  if (link !== undefined)
    fields.push(['Link', `<${link}>; rel="deprecation"`, 'Where that is explained.'])
  const headers = Object.fromEntries(
    fields.map(([name, , description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  )
  return {
    kind: 'sunset',
    on(route) {
      if (!(since < date)) route.fault('sunset: an operation is deprecated before it ends')
      return [
        {
          stage: 'begin',
          step(exchange) {
            // another feature may have a link, too
            for (const [name, value] of fields) exchange.appendHeader(name, value)
          },
          docs: () => ({ deprecated: true, every: { headers } }),
        },
      ]
    },
  }
}
