// koa-smorest openapi print, write and check
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { toYaml } from '../openapi/document/yaml.js'
import { differences } from './differences.js'
import { loadApi } from './load.js'
import { formatOf, type Options, type Output, UsageError } from './usage.js'

type Format = 'json' | 'yaml'

export async function print(module: string, options: Options, { out }: Output): Promise<number> {
  const format = formatOf(options.format, ['json', 'yaml'])
  out(toText(await documentOf(module, options), format))
  return 0
}

export async function write(module: string, file: string, options: Options): Promise<number> {
  const format = formatOfFile(options.format, file)
  await writeFile(file, `${toText(await documentOf(module, options), format)}\n`)
  return 0
}

export async function check(
  module: string,
  file: string,
  options: Options,
  { error }: Output,
): Promise<number> {
  const format = formatOfFile(options.format, file)
  const document = await documentOf(module, options)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new UsageError(`${file} cannot be read: write it first, koa-smorest openapi write …`)
  const found = differences(format === 'json' ? JSON.parse(text) : parse(text), document)
  for (const { pointer, before, after } of found)
    error(`${pointer || '/'}\n  - ${shown(before)}\n  + ${shown(after)}`)
  const count = found.length === 1 ? '1 difference' : `${found.length} differences`
  if (found.length > 0)
    error(`${file} has ${count} from what the application says (- the file, + the application)`)
  return found.length > 0 ? 1 : 0
}

async function documentOf(module: string, options: Options): Promise<unknown> {
  const api = await loadApi(module, options.export)
  return JSON.parse(JSON.stringify(api.spec.toJSON(options.openapi)))
}

function formatOfFile(given: string | undefined, file: string): Format {
  return /\.ya?ml$/i.test(file)
    ? formatOf(given, ['yaml', 'json'])
    : formatOf(given, ['json', 'yaml'])
}

function toText(document: unknown, format: Format): string {
  return format === 'json' ? JSON.stringify(document, null, 2) : toYaml(document).trimEnd()
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
