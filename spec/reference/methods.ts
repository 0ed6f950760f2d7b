import { Blueprint, MethodView, operation, reply, response } from 'koa-smorest'

/** Its methods stand in another order than the document's. */
class EveryMethod extends MethodView {
  static shared = operation(response())

  static delete = operation()
  delete() {
    return { method: 'DELETE' }
  }

  static patch = operation()
  patch() {
    return { method: 'PATCH' }
  }

  static put = operation()
  put() {
    return { method: 'PUT' }
  }

  static post = operation()
  post() {
    return { method: 'POST' }
  }

  static get = operation()
  get() {
    return { method: 'GET' }
  }
}

class CustomHeadAndOptions extends MethodView {
  static shared = operation(response())

  static get = operation()
  get() {
    return { method: 'GET' }
  }

  static head = operation()
  head() {
    return reply(undefined, { 'X-Head': 'custom' })
  }

  static options = operation()
  options() {
    return { method: 'OPTIONS' }
  }
}

export const methodsBlueprint = new Blueprint('methods', { urlPrefix: '/methods', description: '' })
  .get('/slash/', operation(response()), () => ({ slash: true }))
  .get('/noslash', operation(response()), () => ({ slash: false }))
  .route('/two', operation(response()), ctx => ({ method: ctx.method }), {
    methods: ['POST', 'GET'],
  })
  .route('/view', EveryMethod)
  .route('/custom-head-options', CustomHeadAndOptions)
  .post('/post-only', operation(response({ code: 201 })), () => ({ method: 'POST' }))
