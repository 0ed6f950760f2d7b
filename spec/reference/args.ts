import * as t from 'io-ts'
import {
  argument,
  Blueprint,
  cookies,
  files,
  form,
  headers,
  json,
  operation,
  path,
  query,
  response,
  type Upload,
} from 'koa-smorest'
import {
  A,
  ArgsQuery,
  B,
  Cookies,
  Echo,
  Files,
  Form,
  Headers,
  MultipartFields,
  Optional,
  Part,
  PathArg,
} from './codecs.js'

async function uploadsToJson(uploads: { readonly [field: string]: Upload | undefined }) {
  const described: Record<string, { filename: string; size: number; text: string }> = {}
  for (const [field, upload] of Object.entries(uploads)) {
    if (upload)
      described[field] = { filename: upload.filename, size: upload.size, text: await upload.text() }
  }
  return described
}

/** Every view answers what it was given. */
export const argsBlueprint = new Blueprint('args', {
  urlPrefix: '/args',
  description: 'Request arguments',
})
  .route(
    '/json',
    operation(json(Echo, { description: 'What to echo', example: { text: 'hello' } }), response()),
    (_, echo) => echo,
    {
      methods: ['POST', 'PUT'],
    },
  )
  .post(
    '/json-optional',
    operation(json(Optional, { required: false }), response()),
    (_, optional) => optional,
  )
  .post('/json-many', operation(json(t.array(Part)), response()), (_, parts) => parts)
  .get('/query', operation(query(ArgsQuery), response()), (_, args) => args)
  .get(
    '/querystring',
    operation(argument(Optional, { location: 'querystring' }), response()),
    (_, args) => args,
  )
  .get('/path/:key', operation(path(PathArg), response()), (_, args, { key }) => ({ args, key }))
  .post('/form', operation(form(Form), response()), (_, fields) => fields)
  .get('/headers', operation(headers(Headers), response()), (_, fields) => fields)
  .get('/cookies', operation(cookies(Cookies), response()), (_, fields) => fields)
  .post('/files', operation(files(Files), response()), (_, uploads) => uploadsToJson(uploads))
  .post(
    '/files-and-form',
    operation(files(Files), form(MultipartFields), response()),
    async (_, uploads, fields) => ({
      files: await uploadsToJson(uploads),
      form: fields,
    }),
  )
  .post('/json-then-query', operation(json(A), query(B), response()), (_, first, second) => ({
    first,
    second,
  }))
  .post('/query-then-json', operation(query(B), json(A), response()), (_, first, second) => ({
    first,
    second,
  }))
  .post('/kwargs', operation(json(Optional, { asKwargs: true }), response()), (_, kwargs) => ({
    kwargs,
  }))
  .post(
    '/kwargs-and-args/:num<int>',
    operation(json(Optional, { asKwargs: true }), query(B), response()),
    (_, b, kwargs) => ({
      args: [b],
      kwargs,
    }),
  )
  .post('/status', operation(json(A, { errorStatusCode: 400 }), response()), (_, a) => a)
  .post(
    '/content-type',
    operation(json(A, { contentType: 'application/vnd.ref+json' }), response()),
    (_, a) => a,
  )
