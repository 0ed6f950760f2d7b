// Copies Swagger UI and ReDoc, with their licences, from the development dependencies into dist/assets.
// They are no dependencies at run time: the package of Swagger UI reports its installation to a third party.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const from = name => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))
const to = name => fileURLToPath(new URL(`../dist/assets/${name}`, import.meta.url))

const COPIES = {
  'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui-dist/LICENSE': 'swagger-ui.LICENSE',
  'swagger-ui-dist/NOTICE': 'swagger-ui.NOTICE',
  'redoc/bundles/redoc.standalone.js.LICENSE.txt': 'redoc.standalone.js.LICENSE.txt',
  'redoc/LICENSE': 'redoc.LICENSE',
}
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

const withoutSourceMap = text => text.replace(/\n?(?:\/\/|\/\*)# sourceMappingURL=\S+(?: ?\*\/)?\s*$/, '\n')

mkdirSync(to(''), { recursive: true })
for (const [source, target] of Object.entries(COPIES)) copyFileSync(from(source), to(target))
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
  writeFileSync(to(name), withoutSourceMap(readFileSync(from(`swagger-ui-dist/${name}`), 'utf8')))
}
const redoc = readFileSync(from('redoc/bundles/redoc.standalone.js'), 'utf8')
if (redoc.split(REDOC_LOGO).length !== 2) throw new Error(`ReDoc asks for ${REDOC_LOGO} elsewhere than it did: look again`)
// an empty image fails to load, upon which ReDoc leaves the logo out
writeFileSync(to('redoc.standalone.js'), withoutSourceMap(redoc.replace(REDOC_LOGO, 'data:,')))
