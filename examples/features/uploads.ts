// An upload and its fields, read strictly, deleted when the response has ended.
//
// $ curl localhost:3000/pictures -F title=Readme -F 'picture=@README.md;type=text/markdown'
// {"title":"Readme","name":"README.md","mediaType":"text/markdown","begin":"# koa-smorest"}
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, files, form, operation, response, struct, Upload } from 'koa-smorest'

const Title = struct({ title: t.string }, 'Title')
const Files = struct({ picture: Upload }, 'Files')
const Picture = t.strict({ title: t.string, name: t.string, mediaType: t.string, begin: t.string })

const pictures = new Blueprint('pictures', { urlPrefix: '/pictures' }).post(
  '',
  operation('Add a picture', form(Title), files(Files), response(Picture)),
  async (_ctx, { title }, { picture }) => ({
    title,
    name: picture.filename,
    mediaType: picture.mediaType,
    begin: (await picture.text()).slice(0, 13),
  }),
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(pictures)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
