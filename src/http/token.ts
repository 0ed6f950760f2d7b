/** The pattern of a token, such as the name of a header field (RFC 9110, section 5.6.2). */
export const TOKEN = "[!#$%&'*+\\-.^_`|~\\dA-Za-z]+"

const WHOLE = new RegExp(`^${TOKEN}$`)

/** Whether a string is a token. */
export function isToken(text: string): boolean {
  return WHOLE.test(text)
}
