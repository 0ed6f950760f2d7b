// Typed failures: the compiler refuses a Left that the descriptor does not declare.
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { abort, altResponse, Blueprint, int, operation, problem, response } from 'koa-smorest'

const OutOfStock = problem('out-of-stock', { status: 409, data: t.strict({ left: int }) })
const Closed = problem('closed', { status: 409 })
const Order = t.strict({ item: t.string })
const declared = operation(response(Order), altResponse(OutOfStock))
const order = { item: 'cup' }

new Blueprint('orders')
  .get('/left', declared, () => E.left(OutOfStock({ left: 3 })))
  .get('/either', declared, ctx =>
    ctx.path === '/' ? E.right(order) : E.left(OutOfStock({ left: 3 })),
  )
  .get('/task', declared, () => TE.left(OutOfStock({ left: 3 })))
  .get('/error', declared, () => E.left(new Error('thrown')))
  .get('/abort', declared, () => abort(OutOfStock, { left: 3 }, { message: 'Sorry.' }))
  .get('/bare', operation(response(Order), altResponse(Closed)), () =>
    abort(Closed, { message: 'Sorry.' }),
  )
  // @ts-expect-error the problem is not declared
  .get('/undeclared', declared, () => E.left(Closed()))
  // @ts-expect-error a text is not a failure
  .get('/text', declared, () => E.left('closed'))
  // @ts-expect-error the data is not that of the problem
  .get('/data', declared, () => abort(OutOfStock, { right: 3 }))
