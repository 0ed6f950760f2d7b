import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.js'
import { faintTexts } from './contrast.js'
import { STAFF, secrets } from './credentials.js'
import { type ServedShop, serveShop } from './served-shop.js'

let shop: ServedShop
let browser: Browser

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await serveShop()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await shop?.close()
})

/**
 * Opens a page of the shop in a window of that width; `complaints` are the console's errors and all
 * requests to others.
 */
async function open(
  path: string,
  width: number,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    locale: 'en-US',
    colorScheme,
  })
  const complaints: string[] = []
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const url = request.url().replace(/^blob:/, '')
    if (!url.startsWith(`${shop.url}/`) && !url.startsWith('data:'))
      complaints.push(`a request to ${url}`)
  })
  await page.goto(shop.url + path)
  await page.getByText('Search the pets').filter({ visible: true }).first().waitFor()
  return { page, complaints }
}

/** Keeps a picture of the page for the manual, where `SCREENSHOTS` asks for it. */
async function keep(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  await page.evaluate('document.activeElement.blur()')
  await page.mouse.move(0, 0)
  await page.screenshot({
    path: fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url)),
  })
}

/** Opens an operation of Swagger UI and makes it ready to be sent. */
async function tryOut(page: Page, operation: string) {
  const block = page.locator('.opblock').filter({ has: page.getByText(operation, { exact: true }) })
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Try it out' }).click()
  return block
}

/** Gives Swagger UI credentials for the scheme whose box in the dialog has this text. */
async function authorize(page: Page, scheme: string, credentials: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const box = page.locator('.auth-container').filter({ hasText: scheme })
  await box.locator('input').fill(credentials)
  await box.getByRole('button', { name: 'Apply credentials' }).click()
  await box.getByRole('button', { name: 'Remove authorization' }).waitFor()
  await page.locator('.btn-done').first().click()
}

describe.skipIf(!hasBrowser).each([1280, 390])('in a window of %i pixels', width => {
  it('Swagger UI shows the shop, and tries it out', { timeout: 60_000 }, async () => {
    const { page, complaints } = await open('/docs/', width)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await keep(page, `swagger-ui-${width}`)

    await authorize(page, 'X-Key', secrets.key)
    const add = await tryOut(page, 'Add a pet')
    await add.getByRole('button', { name: 'Execute' }).click()
    await add.locator('.live-responses-table .response', { hasText: '201' }).waitFor()
    await add.locator('.opblock-summary-control').click()

    const find = await tryOut(page, 'Find a pet')
    await find.getByPlaceholder('petId').fill('361')
    await find.getByRole('button', { name: 'Execute' }).click()
    const response = find.locator('.live-responses-table .response', { hasText: '200' })
    expect(await response.innerText()).toMatch(/"name": "Luna"(?:.|\n)*etag: "1"/)
    // the widest operation: its parameters are many
    const search = await tryOut(page, 'Search the pets')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await search.getByRole('button', { name: 'Execute' }).click()
    await search.locator('.live-responses-table .response', { hasText: '200' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await search.locator('.opblock-summary-control').click()
    await find.locator('.responses-wrapper').evaluate(responses => responses.scrollIntoView())
    await keep(page, `try-it-out-${width}`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(complaints).toEqual([])
    await page.close()
  })

  it('ReDoc shows the shop', { timeout: 60_000 }, async () => {
    const { page, complaints } = await open('/docs/redoc', width)
    await page.getByText('Who has reserved or bought a pet').first().waitFor()
    await keep(page, `redoc-${width}`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(complaints).toEqual([])
    await page.close()
  })
})

describe.skipIf(!hasBrowser)('Swagger UI', () => {
  it('shows a picture that an operation has sent', { timeout: 60_000 }, async () => {
    const { page, complaints } = await open('/docs/', 1280)
    const show = await tryOut(page, "Show a pet's picture")
    await show.getByPlaceholder('petId').fill('21')
    await show.getByRole('button', { name: 'Execute' }).click()
    const picture = show.locator('.live-responses-table img')
    await picture.waitFor()
    await expect
      .poll(() =>
        picture.evaluate(image => (image as unknown as { naturalWidth: number }).naturalWidth),
      )
      .toBe(192)
    expect(complaints).toEqual([])
    await page.close()
  })

  it('is dark if the system is, and follows it', { timeout: 60_000 }, async () => {
    const { page, complaints } = await open('/docs/', 1280, 'dark')
    await keep(page, 'swagger-ui-dark-1280')
    await authorize(page, 'X-Key', secrets.key)
    for (const name of ['Search the pets', 'Add a pet'])
      await (await tryOut(page, name)).getByRole('button', { name: 'Execute' }).click()
    await page.locator('.live-responses-table').nth(1).waitFor()
    expect(await faintTexts(page, 3)).toEqual([])
    expect(await backgroundOf(page)).toBeLessThan(50)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => backgroundOf(page)).toBeGreaterThan(240)
    expect(complaints).toEqual([])
    await page.close()
  })
})

describe.skipIf(!hasBrowser)('ReDoc', () => {
  it('is dark if the system is, and follows it', { timeout: 60_000 }, async () => {
    const { page, complaints } = await open('/docs/redoc', 1280, 'dark')
    await page.evaluate(
      "for (const button of document.querySelectorAll('button[aria-expanded=false]')) button.click()",
    )
    await page.getByText('REQUEST BODY SCHEMA').first().waitFor()
    expect(await faintTexts(page, 3)).toEqual([])
    expect(await backgroundOf(page)).toBeLessThan(50)
    await keep(page, 'redoc-dark-1280')
    await Promise.all([page.waitForEvent('load'), page.emulateMedia({ colorScheme: 'light' })])
    await expect.poll(() => backgroundOf(page)).toBeGreaterThan(240)
    expect(complaints).toEqual([])
    await page.close()
  })
})

/** How light a page is behind its content, from 0 to 255. */
async function backgroundOf(page: Page): Promise<number> {
  const colors = await page.evaluate(
    '[document.documentElement, document.body].map(element => getComputedStyle(element).backgroundColor)',
  )
  const painted = (colors as string[]).find(color => !color.endsWith(', 0)'))
  return painted === undefined
    ? 255
    : Math.max(...(painted.match(/\d+/g) ?? []).slice(0, 3).map(Number))
}

describe.skipIf(!hasBrowser)('the page of the shop', () => {
  /** Places an order; its number. */
  async function order(): Promise<number> {
    const response = await fetch(new URL('/orders/', shop.url), {
      method: 'POST',
      headers: {
        ...STAFF,
        'Content-Type': 'application/json',
        'Idempotency-Key': `"${randomUUID()}"`,
      },
      body: JSON.stringify({ kind: 'fish', ownerId: 1 }),
    })
    const { id } = (await response.json()) as { readonly id: number }
    return id
  }

  it('shows orders as they are placed', async () => {
    const page = await browser.newPage({ viewport: { width: 900, height: 500 }, locale: 'en-IE' })
    const complaints: string[] = []
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    await page.goto(shop.url)
    await page.getByLabel('Key').fill(secrets.key)
    await page.getByRole('button').click()
    await page.getByText('Waiting for orders').waitFor()
    const ids = [await order(), await order()]
    await page.locator('tbody tr').nth(1).waitFor()
    const shown = await page.locator('tbody td:first-child').allTextContents()
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })
    await page.getByLabel('Key').fill('wrong')
    await page.getByRole('button').click()
    await page.getByText('The key is wrong').waitFor()
    await page.close()
    expect(shown).toEqual(ids.reverse().map(String))
    expect(complaints).toEqual([expect.stringContaining('401')])
  })
})
