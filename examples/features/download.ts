// A download with its name, its entity tag and ranges.
//
// $ curl -i localhost:3000/reports/7
// HTTP/1.1 200 OK
// Content-Disposition: attachment; …
// Accept-Ranges: bytes
// Content-Length: 17
//
// All is well in 7.
// $ curl -i localhost:3000/reports/7 -H 'Range: bytes=0-2'
// HTTP/1.1 206 Partial Content
// Content-Range: bytes 0-2/17
//
// All
import Koa from 'koa'
import { Api, altResponse, Blueprint, download, operation, response } from 'koa-smorest'

const file = { contentType: 'text/plain' }

const reports = new Blueprint('reports', { urlPrefix: '/reports' }).get(
  '/:month<int>',
  operation('Download a report', response(file), altResponse(206, file), altResponse(416)),
  (_ctx, { month }) =>
    download(Buffer.from(`All is well in ${month}.`), { name: `report-${month}.txt` }),
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(reports)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
