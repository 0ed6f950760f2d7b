// The bodies of errors as a client sees them, by the settings of the Api.
import type { ErrorForm } from '../../http/errors/error-form.js'
import type { SettingOf, WireProblem } from './facts.js'

/** Messages about a value, or about its fields, nested as the value is. */
export type ErrorMessages = string[] | { [field: string]: ErrorMessages }

/** The body of an error in the form `plain`, as a client receives it. */
export interface PlainError {
  code: number
  status: string
  message?: string
  errors?: { [location: string]: ErrorMessages }
}

/** The body of an error in the form `problem`, as a client receives it (RFC 9457). */
export interface ProblemError {
  type: string
  title: string
  status: number
  detail?: string
  instance?: string
  errors?: {
    detail: string
    in?: 'body' | 'query' | 'path' | 'header' | 'cookie'
    parameter?: string
    pointer?: string
  }[]
}

/**
 * The content of an error by media type, with declared problems beside the general error. If the
 * compiler does not know `API_ERRORS`, it is the content of both forms of the library.
 */
export type ErrorContent<Given, Problem> = ContentOf<
  SettingOf<Given, 'API_ERRORS', 'plain'>,
  Given,
  Problem
>

type ContentOf<Form, Given, Problem> = [Form] extends [ErrorForm<infer Body>]
  ? { [Media in Form['mediaType']]: Body }
  : {
      [Media in MediaOf<Form>]: Media extends 'application/json'
        ? PlainError | Plain<Problem>
        : ProblemError | Detailed<Problem, Given>
    }

type MediaOf<Form> =
  | (Form extends 'plain' | 'negotiated' ? 'application/json' : never)
  | (Form extends 'problem' | 'negotiated' ? 'application/problem+json' : never)

type Plain<Problem> =
  Problem extends WireProblem<infer Name, infer Data>
    ? PlainError & { problem: Name } & Data
    : never

type Detailed<Problem, Given> =
  Problem extends WireProblem<infer Name, infer Data>
    ? ProblemError & {
        type: TypeOf<Name, SettingOf<Given, 'API_PROBLEM_BASE', '/problems/'>>
      } & Data
    : never

/** A name that is a URI is the type itself. */
type TypeOf<Name extends string, Base> = Name extends `${string}:${string}`
  ? Name
  : Base extends string
    ? `${Base}${Name}`
    : string
