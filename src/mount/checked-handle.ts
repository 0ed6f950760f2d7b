// Compares every response with the document, and every problem with those that the operation lists,
// in development and in tests. Registration wraps its handlers with this; in production it costs
// nothing.
import type { OperationObject, ReferenceObject } from 'openapi3-ts/oas32'
import type { Context } from '../feature-api/exchange.js'
import type { Route } from '../feature-api/feature.js'
import type { Failure } from '../http/failure.js'
import type { OperationDescription } from '../openapi/document/describe-operation.js'
import { describeOperation } from '../openapi/document/describe-operation.js'
import type { Schemas } from '../openapi/schema/schemas.js'
import { checkProblem, checkResponse } from '../respond/documented-response.js'
import type { Handle } from '../respond/operation-frame.js'
import { noteThrown } from '../respond/request-routing.js'
import { isOwn } from '../respond/result.js'
import { failureOf } from '../respond/thrown.js'

/**
 * Returns the handler with its responses checked; the handler itself if DEBUG and TESTING are off.
 */
export function checkedHandle(
  route: Pick<Route, 'settings' | 'features' | 'place'>,
  description: OperationDescription,
  schemas: Schemas,
  handle: Handle,
): Handle {
  const checkThrown = problemCheck(route)
  if (!checkThrown) return handle
  let operation: OperationObject | undefined
  const resolve = ({ $ref }: ReferenceObject) => schemas.ownResponse($ref)
  const check = (ctx: Context) => {
    // data written to `ctx.res` itself may be anything, and later
    if (isOwn(ctx)) return
    operation ??= describeOperation(description, schemas)
    checkResponse(ctx, route.place, operation, resolve)
  }
  return async (ctx, parameters, texts) => {
    try {
      await handle(ctx, parameters, texts)
    } catch (thrown) {
      // its response is written by the error boundary, in front of all middleware
      noteThrown(ctx, () => check(ctx))
      checkThrown(failureOf(thrown))
      throw thrown
    }
    check(ctx)
  }
}

/**
 * Returns a check that throws for a declared problem that the operation does not list; undefined if
 * DEBUG and TESTING are off.
 */
export function problemCheck({
  settings,
  features,
  place,
}: Pick<Route, 'settings' | 'features' | 'place'>): ((failure: Failure) => void) | undefined {
  if (!settings.DEBUG && !settings.TESTING) return undefined
  const declared = new Set(features.flatMap(feature => feature.problem ?? []))
  return failure => checkProblem(failure, declared, place)
}
