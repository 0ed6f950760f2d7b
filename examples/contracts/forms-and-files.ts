// Forms and files, as three published documents describe them.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  bytes,
  doc,
  files,
  form,
  int,
  int32,
  operation,
  optional,
  response,
  struct,
  Upload,
} from 'koa-smorest'

const settings = { OPENAPI_VERSION: '3.0.3', OPENAPI_URL_PREFIX: '/' } as const
const done = response({ content: false })

const Credentials = struct({
  client_id: t.string,
  client_secret: t.string,
  scope: optional(int32),
})
const Token = struct({ access_token: int32, token_type: t.string, expires_in: int32 }, 'Token')

/** Gives a token to the client with this secret. */
export function formData(secret: string) {
  const anything = new Blueprint('anything').post(
    '/anything',
    operation(
      doc({ operationId: 'demoFormData' }),
      form(Credentials),
      response(Token),
      altResponse(401),
    ),
    (_ctx, { client_secret }) =>
      client_secret === secret
        ? { access_token: 1, token_type: 'bearer', expires_in: 3600 }
        : abort(401),
  )
  return new Api(new Koa(), settings).registerBlueprint(anything)
}

/** Takes an image, a file beside fields, and a list of files; tells `received` their sizes. */
export function fileUploads(received: (sizes: readonly number[]) => void) {
  const anything = new Blueprint('anything', { urlPrefix: '/anything' })
    .post('/image-png', operation(bytes({ contentType: 'image/png' }), done), (_ctx, image) =>
      received([image.length]),
    )
    .post(
      '/multipart-formdata',
      operation(
        form(struct({ orderId: optional(int), userId: optional(int) }), { required: false }),
        files(struct({ documentFile: optional(Upload) }), { required: false }),
        done,
      ),
      (_ctx, _fields, { documentFile }) => received(documentFile ? [documentFile.size] : []),
    )
    .put(
      '/multipart-formdata',
      operation(files(struct({ filename: optional(t.array(Upload)) }), { required: false }), done),
      (_ctx, { filename = [] }) => received(filename.map(({ size }) => size)),
    )
  return new Api(new Koa(), settings).registerBlueprint(anything)
}
