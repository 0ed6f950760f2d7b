// Pages whose parameters and envelope have the names of your API.
//
// $ curl -i 'localhost:3000/stars?offset=1&limit=2'
// HTTP/1.1 200 OK
// Link: <…?offset=0&limit=2>; rel="first", …
//
// {"data":["Vega","Rigel"],"total":3}
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, int, operation, Page, paginate, response } from 'koa-smorest'

const StarList = t.strict({ data: t.array(t.string), total: int }, 'StarList')

const paging = paginate(Page, {
  names: { offset: 'offset', pageSize: 'limit' },
  items: 'data',
  wrap: (items, { total }) => ({ data: items, total }),
})

const stars = new Blueprint('stars', { urlPrefix: '/stars' }).get(
  '',
  operation('List the stars', paging, response(StarList)),
  () => ['Sirius', 'Vega', 'Rigel'], // the rows: the library takes the page and wraps it
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(stars)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
