import { abort, Blueprint, etag, type FailureDetails, operation, response } from 'koa-smorest'
import { Thing } from './codecs.js'

/**
 * Keywords that `abort` does not know; in JavaScript nothing keeps an application from giving them.
 */
function unchecked(details: object): FailureDetails {
  return details
}

function fail(): never {
  throw new Error('secret detail')
}

export const errorsBlueprint = new Blueprint('errors', { urlPrefix: '/errors', description: '' })
  .get('/abort/:code<int>', operation(), (_, { code }) => abort(code))
  .get('/message/:code<int>', operation(), (_, { code }) =>
    abort(code, { message: 'Custom message.' }),
  )
  .get('/errors', operation(), () =>
    abort(422, { message: 'Bad.', errors: { field: ['wrong'], nested: { '0': { x: ['y'] } } } }),
  )
  .get('/messages', operation(), () => abort(400, unchecked({ messages: { field: ['wrong'] } })))
  .get('/errors-and-messages', operation(), () =>
    abort(400, unchecked({ errors: { a: ['errors win'] }, messages: { b: ['lost'] } })),
  )
  .get('/headers', operation(), () =>
    abort(401, {
      message: 'Who are you?',
      headers: { 'WWW-Authenticate': 'Basic realm="ref"', 'X-Reason': 'anonymous' },
    }),
  )
  .get('/extra', operation(), () =>
    abort(403, unchecked({ message: 'No.', foo: 'bar', code: 999 })),
  )
  .get('/empty-message', operation(), () => abort(400, { message: '', errors: {} }))
  .get('/exc', operation(), () =>
    abort(409, { cause: new Error('secret detail'), message: 'With cause.' }),
  )
  .get('/raise', operation(), ctx => ctx.throw(404, "Koa's description"))
  .get('/raise-forbidden', operation(), ctx => ctx.throw(403))
  .route('/uncaught', operation(), fail, { methods: ['GET', 'POST'] })
  .get('/uncaught-decorated', operation(etag(), response(Thing)), () => fail())
