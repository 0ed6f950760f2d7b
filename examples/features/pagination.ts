// Numbered pages of what the method returns: an array, or a query of a database.
//
// $ curl -i 'localhost:3000/stars?page=2&page_size=2'
// HTTP/1.1 200 OK
// X-Pagination: {"total":3,"total_pages":2,"first_page":1,"last_page":2,"page":2,"previous_page":1}
//
// ["Rigel"]
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, operation, Page, paginate, response } from 'koa-smorest'

const stars = new Blueprint('stars', { urlPrefix: '/stars' }).get(
  '',
  operation('List the stars', paginate(Page), response(t.array(t.string))),
  () => ['Sirius', 'Vega', 'Rigel'],
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(stars)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
