import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Puts Swagger UI and ReDoc where the library serves them from, once before all specs: a fresh
 * clone does not have them.
 */
export default function vendorPages(): void {
  execFileSync(process.execPath, [
    fileURLToPath(new URL('../../scripts/vendor-pages.mjs', import.meta.url)),
  ])
}
