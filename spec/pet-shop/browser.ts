import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/chromium', import.meta.url))

/**
 * The package's own list of folders has none of ours, and without a font a browser shows no text.
 */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(FOLDER, 'fonts')}</dir><cachedir>${join(FOLDER, 'fonts-cache')}</cachedir></fontconfig>
`

/**
 * Whether there is a browser to try: Chromium comes with `npm ci` on Linux, elsewhere
 * `CHROMIUM_PATH` has to name one.
 */
export const hasBrowser =
  Boolean(process.env.CHROMIUM_PATH) || (process.platform === 'linux' && process.arch === 'x64')

/**
 * Starts a Chromium without a window: that of `CHROMIUM_PATH`, or that of the package
 * @sparticuz/chromium with its own fonts and libraries.
 */
export async function launchBrowser(): Promise<Browser> {
  // The flags that the package recommends would switch off what is to be tried here: the
  // Content-Security-Policy.
  const args = ['--no-sandbox']
  if (process.env.CHROMIUM_PATH)
    return await chromium.launch({ executablePath: process.env.CHROMIUM_PATH, args })
  await unpack()
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(FOLDER, 'al2023/lib'),
    FONTCONFIG_PATH: join(FOLDER, 'fonts'),
  }
  return await chromium.launch({ executablePath: join(FOLDER, 'chromium'), args, env })
}

/**
 * Has the package unpack itself, which it does into the folder for temporary files; with its
 * libraries only where it takes us for Vercel.
 */
async function unpack(): Promise<void> {
  if (existsSync(FOLDER)) return
  const unfinished = `${FOLDER}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  const program =
    "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())"
  await promisify(execFile)(process.execPath, ['--eval', program], {
    env: { ...process.env, TMPDIR: unfinished, VERCEL: '1' },
  })
  await writeFile(join(unfinished, 'fonts/fonts.conf'), FONTS)
  // Where another process was faster, its folder is as good.
  await rename(unfinished, FOLDER).catch(() => rm(unfinished, { recursive: true }))
}
