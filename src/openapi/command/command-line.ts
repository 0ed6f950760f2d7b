import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { toYaml } from '../document/yaml.js'
import { isObject } from '../schema/json.js'
import { differences } from './differences.js'

const USAGE = `Usage: koa-smorest openapi print MODULE [options]
       koa-smorest openapi write MODULE FILE [options]
       koa-smorest openapi check MODULE FILE [options]

Prints the OpenAPI document of an application, writes it to a file, or checks that a file still is what the
application says; check exits with 1 and shows what differs if it is not.

MODULE exports an Api: as its default export, as "api", or under the name that --export gives.
A module in TypeScript is run by: node --import tsx node_modules/.bin/koa-smorest openapi …

Options:
  --export NAME       the export that is the Api
  --openapi VERSION   3.1.0, 3.0.3 or 2.0; without it, the version of the application's settings
  --format FORMAT     json or yaml; without it, by the ending of FILE, else json
  --help              shows this`

/** Where a command writes to. */
export interface Output {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

/** What the command needs of an Api. */
interface Documented {
  readonly spec: { toJSON(version?: string): unknown }
}

interface Options {
  readonly export?: string | undefined
  readonly openapi?: string | undefined
  readonly format?: string | undefined
}

/** A mistake in how the command is called; its message is all that is shown. */
class UsageError extends Error {}

/** Runs `koa-smorest` with these arguments. Resolves to the exit code: 0, 1 where a checked file differs, 2 where something is wrong. */
export async function commandLine(args: readonly string[], output: Output): Promise<number> {
  try {
    return await run(args, output)
  } catch (error) {
    output.error(
      error instanceof UsageError
        ? error.message
        : `The document cannot be made:\n${error instanceof Error ? (error.stack ?? error.message) : error}`,
    )
    return 2
  }
}

async function run(args: readonly string[], { out, error }: Output): Promise<number> {
  const { values, positionals } = parsed(args)
  const [topic, command, module, file] = positionals
  if (values.help) {
    out(USAGE)
    return 0
  }
  if (
    topic !== 'openapi' ||
    module === undefined ||
    !['print', 'write', 'check'].includes(command ?? '') ||
    positionals.length !== (command === 'print' ? 3 : 4)
  ) {
    throw new UsageError(USAGE)
  }
  const format = formatOf(values.format, file)
  const api = await load(module, values.export)
  const document: unknown = JSON.parse(JSON.stringify(api.spec.toJSON(values.openapi)))
  if (file === undefined) out(toText(document, format))
  else if (command === 'write') await writeFile(file, `${toText(document, format)}\n`)
  else return check(document, file, format, error)
  return 0
}

function parsed(args: readonly string[]): { values: Options & { help?: boolean | undefined }; positionals: string[] } {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { export: text, openapi: text, format: text, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  }
}

function formatOf(given: string | undefined, file = ''): 'json' | 'yaml' {
  const format = given ?? (/\.ya?ml$/i.test(file) ? 'yaml' : 'json')
  if (format !== 'json' && format !== 'yaml') throw new UsageError(`--format ${format}: it can be json or yaml`)
  return format
}

function toText(document: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? JSON.stringify(document, null, 2) : toYaml(document).trimEnd()
}

async function load(path: string, name: string | undefined): Promise<Documented> {
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

async function importModule(path: string): Promise<{ readonly [name: string]: unknown }> {
  if (!existsSync(path)) throw new UsageError(`${path}: there is no such module`)
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new UsageError(`${path} is TypeScript: run it with a loader, node --import tsx node_modules/.bin/koa-smorest openapi …`)
  }
}

function isDocumented(value: unknown): value is Documented {
  return isObject(value) && isObject(value.spec) && typeof value.spec.toJSON === 'function'
}

async function check(document: unknown, file: string, format: 'json' | 'yaml', error: (text: string) => void): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) throw new UsageError(`${file} cannot be read: write it first, koa-smorest openapi write …`)
  const found = differences(format === 'json' ? JSON.parse(text) : parse(text), document)
  for (const { pointer, before, after } of found) error(`${pointer || '/'}\n  - ${shown(before)}\n  + ${shown(after)}`)
  const count = found.length === 1 ? '1 difference' : `${found.length} differences`
  if (found.length > 0) error(`${file} has ${count} from what the application says (- the file, + the application)`)
  return found.length > 0 ? 1 : 0
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
