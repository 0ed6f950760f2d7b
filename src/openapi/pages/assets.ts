// The files of Swagger UI and ReDoc, which `scripts/vendor-pages.mjs` puts into dist/assets under
// names that change with their content. Looked for only if a page is served from this package,
// since a bundle of an application does not have them.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of a user interface, or what to do about its absence. */
export type Asset = { readonly name: string; readonly file: string } | { readonly missing: string }

/**
 * Finds a file such as `swagger-ui.css` in a folder, whatever version its name has:
 * `swagger-ui.3f9a0c21d4e7.css`. Throws a TypeError if a named folder lacks a required file.
 */
export function findAsset(
  setting: string | URL | null | undefined,
  wanted: string,
  isRequired: boolean,
): Asset {
  const folder = setting == null ? ownFolder() : folderOf(setting)
  const names = folder === undefined ? [] : namesIn(folder)
  const name = names
    .filter(found => found === wanted || withoutVersion(found) === wanted)
    .sort(byVersion)[0]
  if (name !== undefined && folder !== undefined) return { name, file: join(folder, name) }
  if (setting != null && isRequired)
    throw new TypeError(`OPENAPI_ASSETS_FOLDER is "${folder}", which has no ${wanted}. ${ADVICE}`)
  return {
    missing: `${wanted} is not ${folder === undefined ? 'in this bundle' : `in ${folder}`}. ${ADVICE}`,
  }
}

const ADVICE =
  'A bundler leaves the files of the pages behind: copy the folder node_modules/koa-smorest/dist/assets and name the copy in OPENAPI_ASSETS_FOLDER, ' +
  'or set OPENAPI_SWAGGER_UI_URL and OPENAPI_REDOC_URL to another place'

/** Whether a name changes with the content of its file, so that the file may be kept for ever. */
export function isVersioned(name: string): boolean {
  return withoutVersion(name) !== name
}

function withoutVersion(name: string): string {
  return name.replace(/\.[0-9a-f]{12}(?=\.\w+$)/, '')
}

function byVersion(left: string, right: string): number {
  return Number(isVersioned(right)) - Number(isVersioned(left))
}

/**
 * In `dist` of the package, from the source as well as from the build; undefined in a CommonJS
 * bundle, since `import.meta` is empty there.
 */
function ownFolder(): string | undefined {
  const here: string | undefined = import.meta.url
  const [, root] = /^(.*\/)(?:src|dist)\//.exec(here ?? '') ?? []
  return root === undefined ? undefined : fileURLToPath(`${root}dist/assets/`)
}

function folderOf(setting: string | URL): string {
  return setting instanceof URL ? fileURLToPath(setting) : resolve(setting)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
