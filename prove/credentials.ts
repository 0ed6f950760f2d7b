/** The secrets of the shops under test, and the header field of their staff. */
export const SECRETS = {
  key: 'the key of the experiments',
  tokenSecret: 'what the experiments sign their tokens with',
}
export const STAFF = { 'X-Key': SECRETS.key }
export const STAFF_LINE = `X-Key: ${SECRETS.key}`
