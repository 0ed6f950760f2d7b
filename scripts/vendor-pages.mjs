// Copies Swagger UI and ReDoc, with their licences, from the development dependencies into
// dist/assets; `npm start`, the build and the specs run it. They are no dependencies at run time:
// the package of Swagger UI reports its installation to a third party.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { fileURLToPath } from 'node:url'

const LICENCES = {
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.LICENSE': 'swagger-ui-dist/LICENSE',
  'swagger-ui.NOTICE': 'swagger-ui-dist/NOTICE',
  'redoc.standalone.js.LICENSE.txt': 'redoc/bundles/redoc.standalone.js.LICENSE.txt',
  'redoc.LICENSE': 'redoc/LICENSE',
}
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

const folder = fileURLToPath(new URL('../dist/assets/', import.meta.url))
const source = name => readFileSync(new URL(`../node_modules/${name}`, import.meta.url), 'utf8')
const withoutSourceMap = text =>
  text.replace(/\n?(?:\/\/|\/\*)# sourceMappingURL=\S+(?: ?\*\/)?\s*$/, '\n')

function redoc() {
  const text = source('redoc/bundles/redoc.standalone.js')
  if (text.split(REDOC_LOGO).length !== 2)
    throw new Error(`ReDoc no longer loads ${REDOC_LOGO} exactly once: look at what it loads now`)
  // an empty image fails to load, upon which ReDoc leaves the logo out
  return text.replace(REDOC_LOGO, 'data:,')
}

/**
 * `swagger-ui.css` becomes `swagger-ui.3f9a0c21d4e7.css`: the name changes with the content, so
 * that browsers may keep the file.
 */
function versioned(name, content) {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return name.replace(/\.(?=\w+$)/, `.${digest}.`)
}

const files = new Map(Object.entries(LICENCES).map(([name, path]) => [name, source(path)]))
for (const [name, text] of [
  ['swagger-ui-bundle.js', source('swagger-ui-dist/swagger-ui-bundle.js')],
  ['swagger-ui.css', source('swagger-ui-dist/swagger-ui.css')],
  ['oauth2-redirect.js', source('swagger-ui-dist/oauth2-redirect.js')],
  ['redoc.standalone.js', redoc()],
]) {
  const content = withoutSourceMap(text)
  files.set(versioned(name, content), content)
}

mkdirSync(folder, { recursive: true })
for (const [name, content] of files) {
  if (existsSync(folder + name)) continue
  // written whole before it has its name: another process may be serving the folder
  writeFileSync(`${folder}${name}.${process.pid}.new`, content)
  renameSync(`${folder}${name}.${process.pid}.new`, folder + name)
}
for (const name of readdirSync(folder))
  if (!files.has(name) && !name.endsWith('.new')) rmSync(folder + name)
