import type { OperationObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas32'
import type { Context } from '../contract/exchange.js'
import type { Failure } from '../http/failure.js'
import { isInRange, isJsonType, parseMediaType } from '../http/media-type.js'

/** An operation sent a response that its document does not describe. Thrown if the setting DEBUG or TESTING is on. */
export class UndocumentedAnswerError extends Error {
  override readonly name = 'UndocumentedAnswerError'
}

/**
 * Checks a response against the declarations of its operation: the status is documented (errors may use the general `default`), the media
 * type is one of those of the status, and no required header field is missing. The body needs no check: a codec wrote it. Throws an
 * UndocumentedAnswerError that says what to change.
 */
export function checkResponse(
  ctx: Context,
  place: string,
  operation: OperationObject,
  resolve: (reference: ReferenceObject) => ResponseObject | undefined,
): void {
  const fault = faultOf(ctx, operation, resolve)
  if (fault !== undefined)
    throw new UndocumentedAnswerError(`${place}: the response ${ctx.status} ${fault}`)
}

function faultOf(
  ctx: Context,
  { responses = {} }: OperationObject,
  resolve: Parameters<typeof checkResponse>[3],
): string | undefined {
  const { status } = ctx
  const declared =
    responses[status] ??
    responses[`${String(status)[0]}XX`] ??
    (status >= 400 ? responses.default : undefined)
  if (declared === undefined) return undocumentedStatus(status)
  const { headers, content } =
    ('$ref' in declared ? resolve(declared) : (declared as ResponseObject)) ?? {}
  for (const [name, header] of Object.entries(headers ?? {})) {
    if ('required' in header && header.required && !ctx.res.hasHeader(name))
      return missingHeader(status, name)
  }
  const sent =
    ctx.body == null ? undefined : parseMediaType(ctx.response.get('Content-Type'))?.essence
  const types = Object.keys(content ?? {})
  if (sent === undefined || types.some(type => isInRange(type.toLowerCase(), sent)))
    return undefined
  return wrongMediaType(ctx, sent, types)
}

/** Throws an UndocumentedAnswerError for a declared problem that the operation does not list. */
export function checkProblem(
  { code, problem }: Failure,
  declared: ReadonlySet<string>,
  place: string,
): void {
  if (problem && !declared.has(problem.name))
    throw new UndocumentedAnswerError(
      `${place}: the problem ${problem.name} (${code}) is not documented: add altResponse(…) with it to the descriptor`,
    )
}

function undocumentedStatus(status: number): string {
  const declare = `add altResponse(${status}) to the descriptor, or response(…, { code: ${status} })`
  return `is not documented: ${declare}${status < 300 ? ', or return with the status that is' : ''}`
}

function missingHeader(status: number, name: string): string {
  const isRedirect = name.toLowerCase() === 'location' && status >= 300 && status < 400
  const remedy = isRedirect
    ? `return redirect('/…', ${status})`
    : `return reply(value, { '${name}': … }), set it with ctx.set('${name}', …), or document it without \`required\``
  return `lacks the header field ${name}, which is documented as required: ${remedy}`
}

/** Advice depends on who chose the media type: the library for a value, the method for everything else. */
function wrongMediaType({ status, body }: Context, sent: string, types: readonly string[]): string {
  const [type] = types
  const says = `is ${sent}, but ${type === undefined ? 'no body' : types.join(' or ')} is documented`
  if (status >= 300 && status < 400 && type === undefined)
    return `${says}: return redirect('/…', ${status}), which sends no body, in the place of ctx.redirect() or of a body`
  if (status >= 400)
    return `${says}: say the form of errors with the setting API_ERRORS, or keep it in handleHttpException`
  if (type === undefined) return `${says}: document it with response(codec), or return nothing`
  if (sent === 'application/json' && typeof body === 'string' && !isJsonType(type))
    return `${says}: return a text, a Buffer or a stream for ${type}; any other value is sent as JSON`
  const ownType = type.includes('*') ? '…' : type
  return `${says}: say ctx.type = '${ownType}' in the method, or contentType: '${sent}' in response(…)`
}
