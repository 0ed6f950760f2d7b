// Signatures as Standard Webhooks specifies them, https://www.standardwebhooks.com: of their sender
// and of their receiver.
import { createHmac } from 'node:crypto'
import { isString, type Rule, required } from '../options.js'

const isSecret = (value: unknown): boolean => isString(value) && value !== ''

/** The rule of an option that is one secret or several; messages leave the value out. */
export const SECRETS: Rule = required({
  text: 'a string or a list of strings, none of them empty',
  fits: value =>
    isSecret(value) || (Array.isArray(value) && value.length > 0 && value.every(isSecret)),
  isSecret: true,
})

/**
 * Returns the keys of secrets in base64, with or without `whsec_`; throws a TypeError for others.
 */
export function webhookKeys(place: string, secrets: string | readonly string[]): readonly Buffer[] {
  return [secrets].flat().map(secret => {
    const text = secret.replace(/^whsec_/, '')
    const key = Buffer.from(text, 'base64')
    // its padding may be left out
    const [digits, ...padding] = text.split('=')
    const isBase64 = key.toString('base64').split('=')[0] === digits && padding.join('') === ''
    if (isBase64 && key.length > 0) return key
    throw new TypeError(`${place}: secret must be base64, with or without "whsec_"`)
  })
}

/** Returns the header fields of a message that is sent now: one signature for each key. */
export function webhookFields(
  keys: readonly Buffer[],
  id: string,
  body: string,
): Readonly<Record<string, string>> {
  const time = Math.floor(Date.now() / 1000)
  const signatures = keys.map(
    key => `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': signatures.join(' '),
  }
}
