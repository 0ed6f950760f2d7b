import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STAFF } from './credentials.js'
import { config, hasNginx, type Nginx, startNginx } from './nginx.js'
import { type ShopProcess, startShop } from './shop-process.js'

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

describe('the manual', () => {
  it('shows the configuration of nginx that is tried here', async () => {
    const page = await readFile(fromRoot('docs/deploying.md'), 'utf8')
    expect(/^```nginx\n(.*?)^```$/ms.exec(page)?.[1]).toBe(config)
  })
})

describe.skipIf(!hasNginx)('the shop behind nginx', () => {
  let folder: string
  let shop: ShopProcess
  let nginx: Nginx
  let url: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pet-shop-spec-'))
    shop = await startShop(folder, {})
    nginx = await startNginx(folder, shop.url)
    url = nginx.url
  })

  afterAll(async () => {
    nginx?.stop()
    await shop?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('has its entity tags and conditions left as they are', async () => {
    const tag = (await fetch(`${url}/pets/1`)).headers.get('ETag') ?? ''
    expect(tag).toBe('"1"')
    expect((await fetch(`${url}/pets/1`, { headers: { 'If-None-Match': tag } })).status).toBe(304)
    const init = {
      method: 'PATCH',
      body: '{"name":"Rex"}',
      headers: { 'Content-Type': 'application/json', 'If-Match': tag, ...STAFF },
    }
    expect((await fetch(`${url}/pets/1`, init)).status).toBe(200)
    expect((await fetch(`${url}/pets/1`, init)).status).toBe(412)
  })

  it('logs a request under the id that nginx gave it', async () => {
    const id = (await fetch(`${url}/pets/2`)).headers.get('X-Request-Id')
    await expect
      .poll(() => shop.lines.find(({ req }) => req?.id === id))
      .toMatchObject({ req: { url: '/pets/2' } })
    await expect
      .poll(() => readFile(join(folder, 'access.log'), 'utf8'))
      .toContain(`"request_id":"${id}"`)
  })

  it('sends errors as JSON, whoever finds them', async () => {
    const upload = async (bytes: number) => {
      const body = new FormData()
      body.append('picture', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'large.png')
      return await (
        await fetch(`${url}/pets/1/picture`, { method: 'PUT', body, headers: STAFF })
      ).json()
    }
    expect(await upload(11 * 2 ** 20)).toEqual({
      code: 413,
      status: 'Payload Too Large',
      message: expect.stringContaining('10485760'),
    })
    expect(await upload(17 * 2 ** 20)).toEqual({ code: 413, status: 'Payload Too Large' })
    expect(await (await fetch(`${url}/pets/%ff`)).json()).toMatchObject({
      code: 400,
      message: expect.stringContaining('percent'),
    })
    expect(await (await fetch(`${url}/${'x'.repeat(9000)}`)).json()).toEqual({
      code: 414,
      status: 'URI Too Long',
    })
    await shop.stop()
    expect(await (await fetch(`${url}/pets/1`)).json()).toEqual({
      code: 502,
      status: 'Bad Gateway',
    })
  })
})
