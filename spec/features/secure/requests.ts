// Requests as a client of the specs of security sends them: field lines as they are, of which there
// may be two.
import { requestBytes, sendOne } from '../../support/wire.js'

/** What counts of a response to credentials. */
export interface Verdict {
  readonly status: number
  /** The challenges, one for each field line of WWW-Authenticate. */
  readonly challenges: readonly string[]
  readonly body: unknown
}

/** Sends a request with these field lines. */
export async function ask(
  port: number,
  path: string,
  lines: readonly string[] = [],
  method = 'GET',
  body?: string,
): Promise<Verdict> {
  const {
    status,
    headers,
    body: answer,
  } = await sendOne(port, requestBytes(method, path, lines, body))
  return { status, challenges: headers.get('www-authenticate') ?? [], body: answer }
}

export const basicLine = (user: string, password: string): string =>
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
