// Of several errors of one request only one becomes the response; the others must reach the log all
// the same.
import { abort, Blueprint, type Feature, operation, Refusal, type Stage } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const fails = (
  stage: Exclude<Stage, 'method'>,
  step: () => unknown,
): Feature<Record<never, never>> => ({
  on: () => [{ stage, step: step as never }],
})
const raise = (text: string) => (): never => {
  throw new Error(text)
}

/**
 * What becomes of a request to a method with these features around it: the status, and what is
 * logged, in the order of the log.
 */
async function outcomeOf(
  features: readonly Feature<Record<never, never>>[],
  method: () => unknown = () => null,
) {
  const blueprint = new Blueprint('all').post('/', operation(...features), method)
  const { request, errors } = await serveBlueprints(
    blueprint,
    { DEBUG: false, TESTING: false },
    { undocumented: ['/'] },
  )
  const { status } = await request('POST', '/')
  return { status, logged: errors.map(({ message }) => message).sort() }
}

describe('several errors of one request', () => {
  it('are all logged if steps of begin throw', async () => {
    const features = [
      fails('begin', raise('first')),
      fails('begin', async () => raise('second')()),
      fails('begin', raise('third')),
    ]
    expect(await outcomeOf(features)).toEqual({ status: 500, logged: ['first', 'second', 'third'] })
  })

  it('are logged but for those that are no fault of the application', async () => {
    const features = [
      fails('begin', () => abort(410)),
      fails('begin', raise('second')),
      fails('begin', () => abort(404)),
    ]
    expect(await outcomeOf(features)).toEqual({ status: 410, logged: ['second'] })
  })

  it('are all logged if the method throws and so do steps of keep', async () => {
    const features = [
      fails('keep', raise('first of keep')),
      fails('keep', async () => raise('second of keep')()),
    ]
    const outcome = await outcomeOf(features, raise('of the method'))
    expect(outcome).toEqual({
      status: 500,
      logged: ['first of keep', 'of the method', 'second of keep'],
    })
  })

  it('are logged if a step of keep refuses in place of what the method threw', async () => {
    const outcome = await outcomeOf([fails('keep', () => new Refusal(503))], raise('of the method'))
    expect(outcome).toEqual({ status: 503, logged: ['of the method'] })
  })
})
