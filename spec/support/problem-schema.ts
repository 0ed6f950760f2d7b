import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const ajv = new Ajv2020({ strict: true })
addFormats.default(ajv)
const validate = ajv.compile(
  JSON.parse(readFileSync(new URL('./rfc9457.json', import.meta.url), 'utf8')),
)

/** What the schema of RFC 9457, appendix A, has against a body; undefined for problem details. */
export function problemFault(body: unknown): string | undefined {
  return validate(body) ? undefined : ajv.errorsText(validate.errors)
}
