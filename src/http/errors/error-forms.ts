// Which form an error of one Api has: that of the setting API_ERRORS, or the one that the client
// asked for.
import { shown } from '../../names.js'
import { qualitiesOf } from '../accept.js'
import type { ErrorForm } from './error-form.js'
import { plainErrors } from './plain-errors.js'
import { PROBLEM_TYPE, problemDetails } from './problem-details.js'

/** The values of the setting API_ERRORS. */
export type ErrorFormSetting = 'plain' | 'problem' | 'negotiated' | ErrorForm

/** A form and the value of its Content-Type. */
export interface ChosenForm {
  readonly form: ErrorForm
  readonly contentType: string
}

/** The forms of one Api's errors. */
export interface ErrorForms {
  /** All forms, as documented: the usual one first. */
  readonly all: readonly ErrorForm[]
  /** Whether the form depends on the request's Accept. */
  readonly isNegotiated: boolean
  /** The form for a request with this Accept. */
  readonly choose: (accept: string | undefined) => ChosenForm
}

/** The forms that the settings ask for. Throws TypeError for a setting that names none. */
export function errorForms(setting: ErrorFormSetting = 'plain', base = '/problems/'): ErrorForms {
  if (setting === 'negotiated') return negotiated(plainErrors, problemDetails(base))
  if (setting === 'plain') return fixed(plainErrors)
  if (setting === 'problem') return fixed(problemDetails(base))
  const { mediaType, schema, text } = Object(setting) as Partial<ErrorForm>
  if (typeof mediaType === 'string' && typeof schema === 'object' && typeof text === 'function')
    return fixed(setting)
  throw new TypeError(
    `API_ERRORS is 'plain', 'problem', 'negotiated' or an ErrorForm ({ mediaType, schema, text }), not ${shown(setting)}`,
  )
}

function fixed(form: ErrorForm): ErrorForms {
  const chosen = prepared(form)
  return { all: [form], isNegotiated: false, choose: () => chosen }
}

function negotiated(usual: ErrorForm, other: ErrorForm): ErrorForms {
  const [one, two] = [prepared(usual), prepared(other)]
  return {
    all: [usual, other],
    isNegotiated: true,
    choose: accept => (prefersProblem(accept) ? two : one),
  }
}

function prepared(form: ErrorForm): ChosenForm {
  const { mediaType } = form
  const isText =
    (mediaType === 'application/json' || mediaType.startsWith('text/')) && !mediaType.includes(';')
  return { form, contentType: isText ? `${mediaType}; charset=utf-8` : mediaType }
}

/**
 * Whether a client asks for problem details by name, and does not like JSON as much (RFC 9110,
 * section 12.5.1). One that does not name JSON, but accepts it by a range, gets problem details if
 * it does not like the range more.
 */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(PROBLEM_TYPE)) return false
  const qualities = qualitiesOf(accept)
  const problem = qualities.get(PROBLEM_TYPE) ?? 0
  const json = qualities.get('application/json')
  if (problem === 0) return false
  return json === undefined
    ? problem >= (qualities.get('application/*') ?? qualities.get('*/*') ?? 0)
    : problem > json
}
