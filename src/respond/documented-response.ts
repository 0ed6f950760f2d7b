import type { OperationObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas32'
import type { Context } from '../contract/exchange.js'
import { parseMediaType } from '../http/media-type.js'

/** An operation answered what its document does not say. Raised where the settings DEBUG or TESTING are on. */
export class UndocumentedAnswerError extends Error {
  override readonly name = 'UndocumentedAnswerError'
}

/**
 * Holds an answer against what its operation declares: the status is there (an error's may be the general `default`), the
 * media type is one of those of the status, and no header field is missing that is always sent. The body needs no look: a codec wrote
 * it. Throws an UndocumentedAnswerError that says what to declare.
 */
export function holdAgainst(
  ctx: Context,
  place: string,
  operation: OperationObject,
  resolve: (reference: ReferenceObject) => ResponseObject | undefined,
): void {
  const fault = faultOf(ctx, operation, resolve)
  if (fault !== undefined) throw new UndocumentedAnswerError(`${place}: the answer ${ctx.status} ${fault}`)
}

function faultOf(ctx: Context, { responses = {} }: OperationObject, resolve: Parameters<typeof holdAgainst>[3]): string | undefined {
  const { status } = ctx
  const declared = responses[status] ?? responses[`${String(status)[0]}XX`] ?? (status >= 400 ? responses.default : undefined)
  if (declared === undefined)
    return `is not documented: add altResponse(${status}, …) to the descriptor, or response(…, { code: ${status} })`
  const { headers, content } = ('$ref' in declared ? resolve(declared) : (declared as ResponseObject)) ?? {}
  for (const [name, header] of Object.entries(headers ?? {})) {
    if ('required' in header && header.required && !ctx.res.hasHeader(name))
      return `lacks the header field ${name}, which is documented as required`
  }
  // an Api may answer errors in a form of its own, by handleHttpException
  const sent = ctx.body == null || status >= 400 ? undefined : parseMediaType(ctx.response.get('Content-Type'))?.essence
  const types = Object.keys(content ?? {})
  if (sent === undefined || types.some(type => includes(type.toLowerCase(), sent))) return undefined
  return `is ${sent}, but ${types.length === 0 ? 'no body' : types.join(' or ')} is documented: say contentType in response(…)`
}

/** Whether a media type is of a range such as `image/*`; parameters do not count. */
function includes(range: string, type: string): boolean {
  const [essence = ''] = range.split(';')
  return essence === type || essence === '*/*' || (essence.endsWith('/*') && type.startsWith(essence.slice(0, -1)))
}
