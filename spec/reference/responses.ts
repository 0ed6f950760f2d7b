import * as t from 'io-ts'
import type { DefaultContext, DefaultState } from 'koa'
import { abort, Blueprint, doc, etag, operation, reply, response } from 'koa-smorest'
import { Thing } from './codecs.js'

/** As applications write statuses. */
enum HttpStatus {
  CREATED = 201,
  ACCEPTED = 202,
}

const thing = { id: 1, label: 'one', hidden: 'no', other: 'dropped' }
const things = [thing, { id: 2 }, { label: null }]
const plain = (status: number, headers: Record<string, string> = {}) =>
  new Response('plain', { status, headers: { 'Content-Type': 'text/plain', ...headers } })

/** An array of a class of its own is a list as any other. */
class Pair extends Array<Thing> {}

export const responsesBlueprint = new Blueprint('responses', {
  urlPrefix: '/responses',
  description: '',
})
  .get('/default', operation('Default\n\n\n', response(Thing)), () => thing)
  .post('/created', operation(response(Thing, { code: 201 })), () => thing)
  .get('/string-code', operation(response(Thing, { code: '202' })), () => thing)
  .get('/enum-code', operation(response(Thing, { code: HttpStatus.ACCEPTED })), () => thing)
  .route('/no-content', operation(response({ code: 204 })), () => undefined, {
    methods: ['POST', 'DELETE'],
  })
  .post('/no-content-value', operation(response({ code: 204 })), () => thing)
  .get('/none', operation(response()), () => undefined)
  .get('/none-schema', operation(response(Thing)), () => undefined as unknown as Thing)
  .get('/raw', operation(response()), () => ({ b: 1, a: [1, 2.5, null, true, 'é'] }))
  .get('/raw-string', operation(response()), () => 'text')
  .get('/many', operation(response(t.array(Thing))), () => things)
  .get('/many-empty', operation(response(t.array(Thing))), () => [])
  .get('/tuple-status', operation(response(Thing)), () => reply(thing, 202))
  .get('/tuple-enum', operation(response(Thing)), () => reply(thing, HttpStatus.CREATED))
  .get('/tuple-string', operation(response(Thing)), () => reply(thing, '203 Custom Reason'))
  .get('/tuple-headers', operation(response(Thing, { code: 201 })), () =>
    reply(thing, { 'X-One': 'un' }),
  )
  .get('/tuple-header-list', operation(response(Thing)), () =>
    reply(thing, [
      ['X-One', 'un'],
      ['X-Two', 'deux'],
    ]),
  )
  .get('/tuple-all', operation(response(Thing, { code: 201 })), () =>
    reply(thing, 202, { 'X-One': 'un' }),
  )
  // tuples of one and of four have no like here: what stands for them is a reply that is none
  .get('/tuple-one', operation(response(Thing)), () => reply(undefined as unknown as Thing))
  .get('/tuple-four', operation(response(Thing)), () => reply(thing, 'no status'))
  .get('/tuple-subclass', operation(response(t.array(Thing))), () => Pair.of({ id: 1 }, { id: 2 }))
  .get('/list-pair', operation(response(t.array(Thing))), () => [{ id: 1 }, { id: 2 }])
  .get('/object', operation(response(Thing, { code: 201 })), () => plain(203, { 'X-One': 'un' }))
  .get('/object-tuple', operation(response(Thing, { code: 201 })), () =>
    reply(plain(200), 202, { 'X-Two': 'deux' }),
  )
  .get('/undecorated', operation(), () => ({ plain: true }))
  .get(
    '/documented',
    operation(
      doc({
        summary: 'Manual summary',
        deprecated: true,
        responses: { '404': { description: 'Manual 404' }, 200: { description: 'Manual 200' } },
      }),
      response(Thing, {
        description: 'A thing',
        example: { id: 1 },
        headers: { 'X-One': { description: 'One', schema: { type: 'string' } } },
      }),
      'Docstring summary\n\nDocstring description.',
    ),
    () => thing,
  )
  .get('/abort-404', operation(response(Thing)), () => abort(404))

class WrappedBlueprint<Prefix extends string> extends Blueprint<
  DefaultState,
  DefaultContext,
  Prefix
> {
  prepareResponseContent(data: unknown) {
    return { data }
  }
}

export const wrappedBlueprint = new WrappedBlueprint('wrapped', {
  urlPrefix: '/wrapped',
  description: '',
}).get('/thing', operation(etag(), response(Thing)), () => thing)
