import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/source.js'
import type { Block } from './page.js'

/** A `curl` command of a page and what the page says it prints. */
interface Exchange {
  readonly place: string
  readonly command: string
  readonly expected: readonly string[]
}

/**
 * Sends the `curl` commands of a `console` block to `port` and gives what differs from the printed
 * answers. Of headers, only those that the page shows are compared; `…` stands for any text; white
 * space in a body does not count.
 */
export async function transcriptFaults(block: Block, port: number): Promise<string[]> {
  const faults: string[] = []
  for (const { place, command, expected } of exchangesOf(block)) {
    const words = shellWords(command)
    const response = await send(words, port)
    const body = await response.text()
    const includesHead = words.some(word => /^(-\w*[iI]\w*|--include|--head)$/.test(word))
    const end = includesHead ? [...expected, ''].indexOf('') : 0
    const actual = [
      `HTTP/1.1 ${response.status} ${response.statusText}`,
      ...Array.from(response.headers, pair => pair.join(': ')),
    ]
    const missing = expected
      .slice(0, end)
      .filter(line => !actual.some(other => alike(line.toLowerCase(), other.toLowerCase())))
    if (missing.length > 0)
      faults.push(
        `${place} ${command}\nshows ${missing.join('\n')}\nbut gives ${actual.join('\n')}`,
      )
    if (!alike(expected.slice(end).join(''), body))
      faults.push(`${place} ${command}\nshows ${expected.slice(end).join('\n')}\nbut gives ${body}`)
  }
  return faults
}

function exchangesOf(block: Block): Exchange[] {
  const lines = block.text.trimEnd().split('\n')
  const starts = lines.flatMap((line, index) => (line.startsWith('$ curl ') ? [index] : []))
  return starts.map((start, index) => {
    const own = lines.slice(start, starts[index + 1])
    const length = own.findIndex(line => !line.endsWith('\\')) + 1
    const command = own.slice(0, length).join('\n').replaceAll('\\\n', ' ').slice(2)
    return { place: `${block.page}:${block.line + start}`, command, expected: own.slice(length) }
  })
}

function shellWords(command: string): string[] {
  return Array.from(command.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"]+)+/g), ([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_, plain?: string, escaped?: string) => plain ?? escaped?.replaceAll(/\\(.)/g, '$1') ?? '',
    ),
  )
}

async function send([, ...words]: readonly string[], port: number): Promise<Response> {
  const headers = new Headers()
  const form = new FormData()
  let [url, method, body]: (string | undefined)[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (word === '-X' || word === '--request') method = words[++index]
    else if (word === '-d' || word === '--data' || word === '--json') {
      body = words[++index]
      if (!headers.has('Content-Type'))
        headers.set(
          'Content-Type',
          word === '--json' ? 'application/json' : 'application/x-www-form-urlencoded',
        )
    } else if (word === '-F' || word === '--form') addPart(form, words[++index] ?? '')
    else if (word === '-H' || word === '--header') {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(words[++index] ?? '') ?? []
      headers.set(name, value)
    } else if (/^-\w*I/.test(word) || word === '--head') method = 'HEAD'
    else if (!word.startsWith('-')) url = word
  }
  const { pathname, search } = new URL(url?.replace(/^(?!https?:)/, 'http://') ?? '')
  const content = body ?? ([...form.keys()].length > 0 ? form : undefined)
  const init = {
    method: method ?? (content === undefined ? 'GET' : 'POST'),
    headers,
    redirect: 'manual',
  } as const
  return await fetch(
    `http://127.0.0.1:${port}${pathname}${search}`,
    content === undefined ? init : { ...init, body: content },
  )
}

/** `name=text`, or `name=@file;type=media/type` with a file of the repository. */
function addPart(form: FormData, part: string): void {
  const [, name = '', at, value = '', type = 'application/octet-stream'] =
    /^([^=]+)=(@?)(.*?)(?:;type=(.*))?$/.exec(part) ?? []
  if (at) form.append(name, new Blob([readFileSync(join(root, value))], { type }), value)
  else form.append(name, value)
}

function alike(shown: string, actual: string): boolean {
  const parts = shown.replaceAll(/\s/g, '').split('…')
  const pattern = parts.map(part => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')
  return new RegExp(`^${pattern}$`, 's').test(actual.replaceAll(/\s/g, ''))
}
