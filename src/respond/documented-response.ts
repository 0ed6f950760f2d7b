import type { OperationObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas32'
import type { Context } from '../feature-api/exchange.js'
import { type Failure, NO_CONTENT } from '../http/failure.js'
import { isInRange, isJsonType, parseMediaType } from '../http/media-type.js'
import { isDownload } from './download.js'

/**
 * An operation sent a response that its document does not describe. Thrown if the setting DEBUG or
 * TESTING is on.
 */
export class UndocumentedResponseError extends Error {
  // applications compare with this name of 0.2; it follows the class in 1.0
  override readonly name = 'UndocumentedAnswerError'
}

/**
 * Checks a response against the declarations of its operation: the status is documented (errors may
 * use the general `default`), the media type is one of those of the status, and no required header
 * field is missing. The body needs no check: a codec wrote it. Throws an UndocumentedResponseError
 * that explains the remedy.
 */
export function checkResponse(
  ctx: Context,
  place: string,
  operation: OperationObject,
  resolve: (reference: ReferenceObject) => ResponseObject | undefined,
): void {
  const fault = faultOf(ctx, operation, resolve)
  if (fault !== undefined)
    throw new UndocumentedResponseError(`${place}: the response ${ctx.status} ${fault}`)
}

/** The statuses that a download chooses itself. */
const DOWNLOADED = new Set([206, 304])

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
  if (declared === undefined)
    return isDownload(ctx) && DOWNLOADED.has(status) ? undefined : undocumentedStatus(status)
  const described = '$ref' in declared ? resolve(declared) : (declared as ResponseObject)
  // a component of the application, which may be incomplete
  if (described === undefined) return undefined
  const { headers, content } = described
  for (const [name, header] of Object.entries(headers ?? {})) {
    if ('required' in header && header.required && !ctx.res.hasHeader(name))
      return missingHeader(status, name)
  }
  const sent =
    ctx.body == null ? undefined : parseMediaType(ctx.response.get('Content-Type'))?.essence
  const types = Object.keys(content ?? {})
  if (ctx.body == null && types.length > 0 && ctx.method !== 'HEAD' && !NO_CONTENT.has(status))
    return withoutContent(status, types)
  if (sent === undefined || types.some(type => isInRange(type.toLowerCase(), sent)))
    return undefined
  return wrongMediaType(ctx, sent, types)
}

/** Throws an UndocumentedResponseError for a declared problem that the operation does not list. */
export function checkProblem(
  { code, problem }: Failure,
  declared: ReadonlySet<string>,
  place: string,
): void {
  if (problem && !declared.has(problem.name))
    throw new UndocumentedResponseError(
      `${place}: the problem ${problem.name} (${code}) is not documented: add altResponse(…) with it to the descriptor`,
    )
}

function undocumentedStatus(status: number): string {
  const declare = `add altResponse(${status}) to the descriptor, or response(…, { code: ${status} })`
  return `is not documented: ${declare}${status < 300 ? ', or return with the status that is' : ''}`
}

function withoutContent(status: number, types: readonly string[]): string {
  const declare = status < 300 ? `, or declare { code: ${status}, content: false }` : ''
  return `has no content, but ${types.join(' or ')} is documented: return a value${declare}`
}

function missingHeader(status: number, name: string): string {
  const isRedirect = name.toLowerCase() === 'location' && status >= 300 && status < 400
  const remedy = isRedirect
    ? `return redirect('/…', ${status})`
    : `return reply(value, { '${name}': … }), set it with ctx.set('${name}', …), or document it without \`required\``
  return `lacks the header field ${name}, which is documented as required: ${remedy}`
}

/**
 * Advice depends on who chose the media type: the library for a value, the method for everything
 * else.
 */
function wrongMediaType({ status, body }: Context, sent: string, types: readonly string[]): string {
  const [type] = types
  const says = `is ${sent}, but ${type === undefined ? 'no body' : types.join(' or ')} is documented`
  if (status >= 300 && status < 400 && type === undefined)
    return `${says}: return redirect('/…', ${status}), which sends no body, instead of ctx.redirect() or a body`
  if (status >= 400 && type === undefined)
    return `${says}: declare it with altResponse(${status}), or with schemas.errorResponse(${status}) in a feature`
  if (status >= 400)
    return `${says}: set the form of errors with API_ERRORS, or keep it in handleHttpException`
  if (type === undefined) return `${says}: document it with response(codec), or return nothing`
  if (sent === 'application/json' && typeof body === 'string' && !isJsonType(type))
    return `${says}: return a text, a Buffer or a stream for ${type}; any other value is sent as JSON`
  const ownType = type.includes('*') ? '…' : type
  return `${says}: set ctx.type = '${ownType}' in the method, or contentType: '${sent}' in response(…)`
}
