import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadDicer, MultipartParser } from '../../src/http/body/multipart-parser.js'
import type { PartHeader } from '../../src/http/body/part-header.js'
import { cases, PATIENCE, seed } from '../properties/seed.js'

interface Part {
  readonly header: PartHeader
  readonly content: string
}

const Dicer = await loadDicer()
const BOUNDARY = 'Bound'
const DELIMITER = `\r\n--${BOUNDARY}`

/** Parses pieces of a body, with a turn of the event loop after each that `waits` names. */
async function parse(
  pieces: readonly Buffer[],
  waits: (index: number) => boolean = () => false,
): Promise<readonly Part[] | string> {
  const parts: { header: PartHeader; content: string }[] = []
  let ready: () => void = () => undefined
  const result = new Promise<readonly Part[] | string>(resolve => {
    const parser = new MultipartParser(new Dicer({ boundary: BOUNDARY }), 100_000, {
      onPart(header) {
        const part = { header, content: '' }
        const chunks: Buffer[] = []
        parts.push(part)
        return {
          write(chunk) {
            chunks.push(chunk)
            return undefined
          },
          end() {
            part.content = Buffer.concat(chunks).toString('latin1')
            return undefined
          },
        }
      },
      onRefusal: refusal => resolve(`${refusal.code} ${refusal.message}`),
      onFinish: () => resolve(parts),
      onReady: () => ready(),
    })
    const feed = async () => {
      for (const [index, piece] of pieces.entries()) {
        parser.write(piece)
        while (parser.isFull) await new Promise<void>(then => (ready = then))
        if (waits(index)) await new Promise(setImmediate)
      }
      parser.end()
    }
    void feed()
  })
  return result
}

/** Cuts a body at random places. */
function cut(body: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let start = 0, index = 0; start < body.length; index++) {
    const end = start + (lengths[index % lengths.length] as number)
    pieces.push(body.subarray(start, end))
    start = end
  }
  return pieces
}

/** Texts that look like what is around them, some of them larger than the parser takes at once. */
const contents = fc
  .array(
    fc.oneof(
      {
        weight: 200,
        arbitrary: fc.constantFrom(
          '\r',
          '\n',
          '\r\n',
          '-',
          '--',
          'a',
          'ü',
          '\0',
          '\r\n\r\n',
          '\x80\xff',
        ),
      },
      { weight: 100, arbitrary: fc.constantFrom('\r\n--', '\r\n--Bou', '--Bound', '\r\n--bound') },
      { weight: 1, arbitrary: fc.constant('x'.repeat(70_000)) },
    ),
    { maxLength: 12 },
  )
  .map(texts => texts.join(''))
  .filter(text => !`\r\n${text}`.includes(DELIMITER))
// a backslash at the end of a name, which browsers send as it is, cannot be told from an escaped quote
const names = fc
  .string({
    unit: fc.constantFrom('a', 'b', ' ', ';', '=', "'", '\\', '%', '[', '.'),
    maxLength: 6,
  })
  .map(text => text.replace(/\\+$/, ''))
const parts = fc.array(
  fc.record({
    name: names,
    filename: fc.option(names, { nil: undefined }),
    type: fc.constantFrom(undefined, 'text/plain', 'a/b; c="d"'),
  }),
  { maxLength: 4 },
)
const lengths = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 })),
  { minLength: 1, maxLength: 20 },
)

function write(header: PartHeader, content: string): string {
  const filename = header.filename === undefined ? '' : `; filename="${header.filename}"`
  const type = header.type === undefined ? '' : `\r\nContent-Type: ${header.type}`
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${header.name}"${filename}${type}\r\n\r\n${content}\r\n`
}

describe(`a multipart body in pieces (seed ${seed})`, () => {
  it('is the parts that it was written from', { timeout: PATIENCE }, () =>
    fc.assert(
      fc.asyncProperty(
        parts,
        fc.array(contents, { minLength: 4, maxLength: 4 }),
        contents,
        contents,
        lengths,
        async (headers, all, before, after, sizes) => {
          const sent = headers.map((header, index) => ({ header, content: all[index] as string }))
          const body = `${before}\r\n${sent.map(({ header, content }) => write(header, content)).join('')}--${BOUNDARY}--${after}`
          expect(
            await parse(
              cut(Buffer.from(body, 'latin1'), sizes),
              index => (sizes[index % sizes.length] as number) % 3 === 0,
            ),
          ).toEqual(sent)
        },
      ),
      { seed, numRuns: cases(400) },
    ),
  )

  it('does not end with one hyphen behind each of two delimiters', async () => {
    const bytes = Buffer.from(
      `${write({ name: 'a' } as PartHeader, 'x')}--${BOUNDARY}-\r\n--${BOUNDARY}-`,
    )
    const refused = '400 The body is not valid multipart/form-data.'
    for (let at = 1; at < bytes.length; at++)
      expect({ at, result: await parse([bytes.subarray(0, at), bytes.subarray(at)]) }).toEqual({
        at,
        result: refused,
      })
    expect(await parse([bytes])).toBe(refused)
  })

  it('is refused or accepted as in one piece, whatever its bytes', { timeout: PATIENCE }, () => {
    const changes = fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom(
          '',
          '\r',
          '\n',
          '\r\n',
          '-',
          '--Bound',
          '\r\n--Bound',
          ':',
          '"',
          ';',
          '\0',
          ' ',
          '\r\n\r\n',
        ),
      ),
      { minLength: 1, maxLength: 3 },
    )
    return fc.assert(
      fc.asyncProperty(
        parts,
        contents,
        changes,
        lengths,
        async (headers, content, edits, sizes) => {
          let body = `${headers.map(header => write(header, content)).join('')}--${BOUNDARY}--\r\n`
          for (const [at, length, text] of edits) {
            const index = at % (body.length + 1)
            body = body.slice(0, index) + text + body.slice(index + length)
          }
          const bytes = Buffer.from(body, 'latin1')
          const whole = await parse([bytes])
          expect(await parse(cut(bytes, sizes), index => index % 2 === 0)).toEqual(whole)
        },
      ),
      { seed, numRuns: cases(400) },
    )
  })
})
