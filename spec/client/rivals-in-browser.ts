import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { ClientOptions } from 'openapi-fetch'
import type { Browser } from 'playwright-core'
import type { Tally, Task } from './rivals.js'

/** Has the two rivals work in a page of a browser. */
export async function rivalsInBrowser(
  browser: Browser,
  options: ClientOptions,
  task: Task,
  page: string,
): Promise<Tally> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { rivals } from './rivals.js'; globalThis.rivals = rivals`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    platform: 'browser',
    write: false,
  })
  const tab = await browser.newPage()
  await tab.goto(page)
  await tab.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  return await tab.evaluate(`rivals(${JSON.stringify(options)}, ${JSON.stringify(task)})`)
}
