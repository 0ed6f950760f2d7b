// Entity tags over a whole run: one URL, one caller and one strong tag are one representation.
import type { Sendable } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'
import type { Fault } from './report.js'

/** Fields that select nothing of a representation. */
const CONDITIONS = /^(?:if-|range$|idempotency-key$)/i

export class TagRegister {
  #known = new Map<string, string>()

  /** Forgets everything: the data were reset. */
  forget(): void {
    this.#known = new Map()
  }

  faultsOf({ request, status, headers, text, isCut }: Outcome): readonly Fault[] {
    const tag = headers.get('ETag')
    if (request.method !== 'GET' || status !== 200 || isCut || !tag?.startsWith('"')) return []
    const key = `${tag} ${keyOf(request)}`
    const known = this.#known.get(key)
    this.#known.set(key, text)
    return known === undefined || known === text
      ? []
      : [{ check: 'law: tags', message: `the representation changed, and its tag is still ${tag}` }]
  }
}

function keyOf({ target, headers }: Sendable): string {
  const selecting = Object.entries(headers).filter(([name]) => !CONDITIONS.test(name))
  return JSON.stringify([target, selecting.sort()])
}
