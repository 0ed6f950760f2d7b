// koa-smorest openapi print, write and check
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { danglingReferences } from '../openapi/document/dangling-references.js'
import { toYaml } from '../openapi/document/yaml.js'
import { VERSIONS } from '../openapi/openapi-document.js'
import { isObject } from '../openapi/schema/json.js'
import { loadApi } from './load.js'
import { formatOf, type Options, type Output, UsageError } from './usage.js'

type Format = 'json' | 'yaml'

export async function print(module: string, options: Options, { out }: Output): Promise<number> {
  const format = formatOf(options.format, ['json', 'yaml'])
  out(toText(await documentOf(module, options), format))
  return 0
}

export async function write(
  module: string,
  file: string,
  options: Options,
  output: Output,
): Promise<number> {
  const format = formatOfFile(options.format, file)
  const document = await documentOf(module, options)
  if (areDangling(document, output)) return 1
  await writeFile(file, `${toText(document, format)}\n`)
  return 0
}

export async function check(
  module: string,
  file: string,
  options: Options,
  output: Output,
): Promise<number> {
  const { error } = output
  const format = formatOfFile(options.format, file)
  const document = await documentOf(module, options)
  if (areDangling(document, output)) return 1
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new UsageError(`${file} cannot be read: write it first, koa-smorest openapi write …`)
  const found = differences(format === 'json' ? JSON.parse(text) : parse(text), document)
  for (const { pointer, before, after } of found)
    error(`${pointer || '/'}\n  - ${shown(before)}\n  + ${shown(after)}`)
  const count = found.length === 1 ? '1 difference' : `${found.length} differences`
  if (found.length > 0)
    error(
      `${file} has ${count} from the document of the application (- the file, + the application)`,
    )
  return found.length > 0 ? 1 : 0
}

async function documentOf(module: string, { export: name, openapi }: Options): Promise<unknown> {
  if (openapi !== undefined && !VERSIONS.test(openapi))
    throw new UsageError(`--openapi must be 3.2.0, 3.1.0, 3.0.3 or 2.0, not ${openapi}`)
  const api = await loadApi(module, name)
  return JSON.parse(JSON.stringify(api.spec.toJSON(openapi)))
}

/** Reports references that lead to nothing, with which tools cannot read the document. */
function areDangling(document: unknown, { error }: Output): boolean {
  const dangling = danglingReferences(document)
  for (const fault of dangling) error(fault)
  return dangling.length > 0
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

/**
 * One place at which two documents differ: a JSON pointer, and the values there; `undefined` if
 * there is none.
 */
interface Difference {
  readonly pointer: string
  readonly before: unknown
  readonly after: unknown
}

/**
 * Finds the differences between two JSON values, as deep as both have a value. The order of keys
 * does not count, that of items does.
 */
export function differences(before: unknown, after: unknown, pointer = ''): Difference[] {
  const [first, second] = [entriesOf(before), entriesOf(after)]
  if (!first || !second || Array.isArray(before) !== Array.isArray(after))
    return before === after ? [] : [{ pointer, before, after }]
  const keys = [...new Set([...first.keys(), ...second.keys()])]
  return keys.flatMap(key =>
    differences(
      first.get(key),
      second.get(key),
      `${pointer}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`,
    ),
  )
}

function entriesOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((item, index) => [String(index), item]))
  return isObject(value) ? new Map(Object.entries(value)) : undefined
}
