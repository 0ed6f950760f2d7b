// A rule of the whole suite: no credential is written to a log or sent in a response. The
// credentials of all specs contain MARK, so that they are found wherever they come out; the setup
// file watches what is written and received, and `.ci/run` all of its output.
import { inspect } from 'node:util'

/** What every credential that lets somebody in contains. */
export const MARK = 'sesame'

/** The mark as it is, and in base64 at each of the three places that it may have there. */
const SPELLINGS = new RegExp([MARK, ...[0, 1, 2].map(offset => base64Of(MARK, offset))].join('|'))

/** JSON Web Tokens have nothing readable in them. */
const TOKEN = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/

/** The characters of base64 that depend on nothing but the text, wherever it stands. */
function base64Of(text: string, offset: number): string {
  const whole = Buffer.from('\0'.repeat(offset) + text).toString('base64')
  return whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6))
}

/**
 * What of a text is a credential, with some of what stands around it; undefined where there is
 * none.
 */
export function leakIn(text: string, { tokens = true } = {}): string | undefined {
  const found = SPELLINGS.exec(text) ?? (tokens ? TOKEN.exec(text) : null)
  return found ? text.slice(Math.max(0, found.index - 60), found.index + 60) : undefined
}

/**
 * Leaks of the test that is running. Setup files and specs may have this module twice, but they
 * share the process.
 */
const leaks: string[] = Reflect.get(globalThis, Symbol.for('koa-smorest.spec.leaks')) ?? []
Reflect.set(globalThis, Symbol.for('koa-smorest.spec.leaks'), leaks)

/** Remembers a credential in something that was written or received; false if there is none. */
export function search(
  where: string,
  text: string,
  options?: { readonly tokens?: boolean },
): boolean {
  const leak = leakIn(text, options)
  if (leak !== undefined) leaks.push(`${where}: …${leak}…`)
  return leak !== undefined
}

/** The same for an error that an application has emitted. */
export function searchError(error: unknown): void {
  let text: string
  try {
    text = inspect(error, { depth: 8, showHidden: true })
  } catch {
    // some specs throw what throws again when it is looked at
    return
  }
  search('an emitted error', text)
}

/** What was found since the last time. */
export function takeLeaks(): readonly string[] {
  return leaks.splice(0)
}

/**
 * What is wrong with a credential that has let somebody in: it is not marked, so it would not be
 * found.
 */
export function checkMarked(field: string, value: string): void {
  const [, basic] = /^basic +(.*)$/i.exec(value) ?? []
  const text = basic === undefined ? value : Buffer.from(basic, 'base64').toString('latin1')
  if (leakIn(text) === undefined)
    leaks.push(`${field}: a credential that lets somebody in and is not marked with "${MARK}"`)
}
