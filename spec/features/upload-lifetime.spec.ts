import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import Koa from 'koa'
import { Api, Blueprint, files, operation, struct, Upload } from 'koa-smorest'
import { expect, it } from 'vitest'
import { body, file, TYPE, uploadFolder } from '../http/uploads.js'
import { listen } from '../support/client.js'

// after each test it checks that no temporary file is left
uploadFolder()

it('an upload can be read after the client has gone, until the method ends (T62)', async () => {
  const app = new Koa()
  let finish: (seen: object) => void = () => undefined
  const finished = new Promise<object>(resolve => (finish = resolve))
  let begun: () => void = () => undefined
  const hasBegun = new Promise<void>(resolve => (begun = resolve))
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
    new Blueprint('uploads').post(
      '/',
      operation(files(struct({ f: Upload }))),
      async (ctx, { f }) => {
        const gone = new Promise(resolve => ctx.res.once('close', resolve))
        begun()
        await gone
        await new Promise(resolve => setTimeout(resolve, 50))
        finish({ isThere: existsSync(f.path), text: await f.text().catch(String) })
        return undefined as never
      },
    ),
  )
  const port = await listen(app)
  const bytes = body(file('f', 'x', 'content'))
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${TYPE}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  )
  socket.write(bytes)
  await hasBegun
  socket.destroy()
  expect(await finished).toEqual({ isThere: true, text: 'content' })
})
