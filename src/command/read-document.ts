import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { parseDocument } from 'yaml'
import { loadApi } from './load.js'
import { type Options, UsageError } from './usage.js'

const MODULE = /\.[cm]?[jt]sx?$/i

/**
 * The document that an argument names: a file in JSON or YAML, a module that exports an Api, or
 * `git:REF:PATH`.
 */
export async function readDocument(
  argument: string,
  options: Pick<Options, 'export'>,
): Promise<unknown> {
  if (argument.startsWith('git:')) return parsed(await fromGit(argument), argument)
  if (MODULE.test(argument)) {
    const { spec } = await loadApi(argument, options.export)
    // the newest version expresses most
    return JSON.parse(JSON.stringify(spec.toJSON('3.2.0')))
  }
  return parsed(await readText(argument), argument)
}

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** Parses a string of JSON or YAML. */
export function parsed(text: string, name: string): unknown {
  // JSON is YAML, but for the little that the parser of JSON refuses and explains better
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text)
    } catch (error) {
      if (/\.json$/i.test(name))
        throw new UsageError(
          `${name} is not JSON: ${error instanceof Error ? error.message : error}`,
        )
    }
  }
  const document = parseDocument(text)
  if (document.errors[0]) throw new UsageError(`${name} is not YAML: ${document.errors[0].message}`)
  return document.toJS()
}

async function fromGit(argument: string): Promise<string> {
  const [, ref = '', path = ''] = /^git:([^:]+):(.+)$/s.exec(argument) ?? []
  if (ref === '' || ref.startsWith('-'))
    throw new UsageError(`${argument}: write git:REF:PATH, such as git:origin/main:openapi.yaml`)
  if (MODULE.test(path))
    throw new UsageError(`${argument}: of a commit a document can be compared, not a module`)
  try {
    const { stdout } = await promisify(execFile)('git', ['cat-file', 'blob', `${ref}:${path}`], {
      maxBuffer: 2 ** 28,
    })
    return stdout
  } catch (error) {
    const reason = String((error as { readonly stderr?: string }).stderr || error).trim()
    throw new UsageError(`${argument} cannot be read: ${reason}`)
  }
}
