// Koa as its users write it: router, body parser, io-ts, and the two middlewares for entity tags.
import etag from '@koa/etag'
import Router from '@koa/router'
import tagOf from 'etag'
import * as t from 'io-ts'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import conditional from 'koa-conditional-get'
import { upstream } from './koa-upstream.mjs'
import { hasUpstream, KINDS, pageHeader, port, problem, resources, store } from './shop.mjs'

const where = (codec, holds, name) => t.refinement(codec, holds, name)

function decode(codec, value, ctx, location) {
  const decoded = codec.decode(value)
  if (decoded._tag === 'Right') return decoded.right
  const errors = {}
  for (const { context } of decoded.left) {
    const field = context.map(({ key }) => key).filter(Boolean)[0]
    errors[field] = [`Not ${context[context.length - 1].type.name}`]
  }
  ctx.throw(422, { errors: { [location]: errors } })
}

function addRoutes(router, resource) {
  const Kind = t.keyof(Object.fromEntries(KINDS.map(kind => [kind, null])))
  const Filter = t.type({
    kind: t.union([Kind, t.undefined]),
    page: where(t.Int, page => page >= 1, 'a page'),
    page_size: where(t.Int, size => size >= 1 && size <= 100, 'a page size'),
  })
  const NewPet = t.strict({
    name: where(t.string, text => text.length >= 1 && text.length <= 100, 'a name'),
    kind: Kind,
    age: where(t.Int, age => age >= 0 && age <= 100, 'an age'),
    weight: where(t.number, weight => weight >= 0, 'a weight'),
    vaccinated: t.boolean,
    born: where(
      t.string,
      text => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
      'a date',
    ),
    tags: where(t.array(t.string), tags => tags.length <= 10, 'tags'),
    owner: t.strict({ name: t.string, phone: t.string }),
  })

  router.get(`/${resource}`, ctx => {
    const { kind, page = '1', page_size = '10' } = ctx.query
    const filter = decode(
      Filter,
      { kind, page: Number(page), page_size: Number(page_size) },
      ctx,
      'query',
    )
    const found = store.find(filter)
    const first = (filter.page - 1) * filter.page_size
    ctx.set('X-Pagination', pageHeader(found.length, filter.page, filter.page_size))
    ctx.body = found.slice(first, first + filter.page_size)
  })
  router.post(`/${resource}`, ctx => {
    ctx.body = store.add(decode(NewPet, ctx.request.body, ctx, 'json'))
    ctx.status = 201
  })
  router.get(`/${resource}/:petId`, ctx => {
    ctx.body = store.get(ctx.params.petId) ?? ctx.throw(404)
  })
  router.put(`/${resource}/:petId`, ctx => {
    const ifMatch = ctx.get('If-Match') || ctx.throw(428)
    const pet = decode(NewPet, ctx.request.body, ctx, 'json')
    const current = store.get(ctx.params.petId) ?? ctx.throw(404)
    if (ifMatch !== '*' && ifMatch !== tagOf(JSON.stringify(current))) ctx.throw(412)
    ctx.body = store.replace(ctx.params.petId, pet)
  })
}

async function answerErrors(ctx, next) {
  try {
    await next()
    if (ctx.status === 404 && !ctx.body) ctx.throw(404)
  } catch (error) {
    ctx.status = error.status ?? 500
    ctx.body = problem(ctx.status, error.errors)
  }
}

const app = new Koa()
const router = new Router()
for (const resource of resources) addRoutes(router, resource)
if (hasUpstream) for (const middleware of upstream) app.use(middleware)
app
  .use(answerErrors)
  .use(conditional())
  .use(etag())
  .use(koaBody())
  .use(router.routes())
  .use(router.allowedMethods())
app.listen(port, '127.0.0.1')
