import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../openapi/schema/json.js'
import { UsageError } from './usage.js'

/** The parts of an Api that the command needs. */
export interface Documented {
  readonly spec: { toJSON(version?: string): object }
}

/** The Api that a module exports. */
export async function loadApi(path: string, name: string | undefined): Promise<Documented> {
  const module = await importModule(path)
  const candidates = name === undefined ? ['default', 'api'] : [name]
  for (const candidate of candidates) {
    const api = await module[candidate]
    if (isDocumented(api)) return api
  }
  const exported = Object.keys(module).sort().join(', ') || 'nothing'
  throw new UsageError(
    `${path} has no Api as its export ${candidates.join(' or ')} (it exports ${exported}): export it, or name it with --export`,
  )
}

export async function importModule(path: string): Promise<{ readonly [name: string]: unknown }> {
  if (!existsSync(path)) throw new UsageError(`${path}: there is no such module`)
  try {
    return exportsOf(await import(pathToFileURL(resolve(path)).href))
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION')
      throw error
    throw new UsageError(
      `${path} is TypeScript: run it with a loader, node --import tsx node_modules/.bin/koa-smorest …`,
    )
  }
}

/**
 * The exports of a module by name, those of a CommonJS module too: Node finds by name only what its
 * scanner recognizes, and has `module.exports` as the default.
 */
function exportsOf(module: { readonly [name: string]: unknown }): {
  readonly [name: string]: unknown
} {
  const { 'module.exports': _, __esModule: __, default: whole, ...named } = module
  if (!isPlain(whole)) return 'default' in module ? { ...named, default: whole } : named
  const { __esModule: ___, ...inside } = whole
  return { ...named, ...inside }
}

function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  return (
    isObject(value) && Object.getPrototypeOf(value) === Object.prototype && !isDocumented(value)
  )
}

export function isDocumented(value: unknown): value is Documented {
  return isObject(value) && isObject(value.spec) && typeof value.spec.toJSON === 'function'
}
