// The scripts of Scalar and Redoc 3, which the application installs if it wants their pages: each
// is one file of a package that is larger than this library.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Asset } from './assets.js'

/** A user interface in a package of its own. */
export interface InstalledPage {
  readonly package: string
  /** The file of the package that contains the whole interface. */
  readonly script: string
  /** The first major version that has it. */
  readonly major: number
}

/** Finds the script beside the application or beside this package. */
export function installedScript({ package: name, script, major }: InstalledPage): Asset {
  const advice = `npm install ${name}@${major}`
  for (const from of [join(process.cwd(), 'app.js'), import.meta.url as string | undefined]) {
    for (const folder of (from && createRequire(from).resolve.paths(name)) || []) {
      const root = join(folder, name)
      if (!existsSync(join(root, 'package.json'))) continue
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      if (Number.parseInt(version, 10) < major)
        return { missing: `${name} ${version} is installed, which has no such page: ${advice}` }
      return { name: script, file: join(root, script) }
    }
  }
  return { missing: `${name} is not installed: ${advice}` }
}
