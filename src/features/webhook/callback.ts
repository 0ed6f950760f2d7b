import type { Feature } from '../../feature-api/feature.js'
import { shown } from '../../names.js'
import { isString } from '../../options.js'
import { DeclaredWebhook, type Webhook } from './webhook.js'

/**
 * Documents that a successful call subscribes to a webhook: `callback('onChange',
 * '{$request.body#/url}', jobChanged)`. The expression finds the URL in the request; one that leads
 * to a field, or to a parameter of the query or path, that the operation does not have is a fault.
 * It changes nothing else: the application keeps the URL, and calls `send`.
 */
export function callback(
  name: string,
  expression: string,
  webhook: Pick<Webhook, 'name' | 'codec'>,
): Feature<Record<never, never>> {
  return {
    on(route) {
      if (!isString(name) || name === '' || !isString(expression) || expression === '')
        route.fault(
          `callback: its name and expression must be strings that are not empty, not ${shown(name)} and ${shown(expression)}`,
        )
      if (!(webhook instanceof DeclaredWebhook)) {
        route.fault(
          `callback(${shown(name)}): the third argument must be the result of webhook(…), not ${shown(webhook)}`,
        )
        return []
      }
      for (const fault of webhook.faults) route.fault(`callback(${shown(name)}): ${fault}`)
      return [
        {
          stage: 'access',
          docs: schemas => ({
            manual: { callbacks: { [name]: { [expression]: webhook.describe(schemas) } } },
          }),
        },
      ]
    },
  }
}
