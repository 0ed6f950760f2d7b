import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MultipartParser, type PartHeader } from '../../src/http/body/parts.js'
import { cases, PATIENCE, seed } from '../properties/seed.js'

interface Part {
  readonly header: PartHeader
  readonly content: string
}

const BOUNDARY = 'Bound'
const DELIMITER = `\r\n--${BOUNDARY}`

/** Parses pieces of a body: its parts, or why it is refused. */
function parse(pieces: readonly Buffer[]): readonly Part[] | string {
  const parts: { header: PartHeader; content: string }[] = []
  const parser = new MultipartParser(BOUNDARY, 100_000, header => {
    const part = { header, content: '' }
    parts.push(part)
    return {
      write(chunk) {
        part.content += chunk.toString('latin1')
        return undefined
      },
      end: () => undefined,
    }
  })
  for (const piece of pieces) {
    const refusal = parser.write(piece)
    if (refusal) return `${refusal.code} ${refusal.message}`
  }
  const refusal = parser.end()
  return refusal ? `${refusal.code} ${refusal.message}` : parts
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
// a backslash at the end of a name, which browsers send as it is, cannot be told from an escaped
// quote
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
      fc.property(
        parts,
        fc.array(contents, { minLength: 4, maxLength: 4 }),
        contents,
        contents,
        lengths,
        (headers, all, before, after, sizes) => {
          const sent = headers.map((header, index) => ({ header, content: all[index] as string }))
          const body = `${before}\r\n${sent.map(({ header, content }) => write(header, content)).join('')}--${BOUNDARY}--${after}`
          expect(parse(cut(Buffer.from(body, 'latin1'), sizes))).toEqual(sent)
        },
      ),
      { seed, numRuns: cases(400) },
    ),
  )

  it.each([
    ['right after a header', `\r\n\r\n--${BOUNDARY}--`],
    ['inside a header', `\r\n--${BOUNDARY}: x\r\n\r\nx\r\n--${BOUNDARY}--`],
    ['followed by spaces', `\r\n\r\nx\r\n--${BOUNDARY} \r\n\r\n\r\n--${BOUNDARY}--`],
  ])('has no delimiter %s', (_where, rest) => {
    const bytes = Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"${rest}`)
    for (const sizes of [[bytes.length], [1]])
      expect(parse(cut(bytes, sizes))).toBe('400 The body is not valid multipart/form-data.')
  })

  it('has no parts if it has no bytes, and is refused if it never ends', () => {
    expect(parse([])).toEqual([])
    expect(parse([Buffer.from('\r\n')])).toBe('400 The body is not valid multipart/form-data.')
  })

  it('does not end with one hyphen behind each of two delimiters', () => {
    const bytes = Buffer.from(
      `${write({ name: 'a' } as PartHeader, 'x')}--${BOUNDARY}-\r\n--${BOUNDARY}-`,
    )
    const refused = '400 The body is not valid multipart/form-data.'
    for (let at = 1; at < bytes.length; at++)
      expect({ at, result: parse([bytes.subarray(0, at), bytes.subarray(at)]) }).toEqual({
        at,
        result: refused,
      })
    expect(parse([bytes])).toBe(refused)
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
      fc.property(parts, contents, changes, lengths, (headers, content, edits, sizes) => {
        let body = `${headers.map(header => write(header, content)).join('')}--${BOUNDARY}--\r\n`
        for (const [at, length, text] of edits) {
          const index = at % (body.length + 1)
          body = body.slice(0, index) + text + body.slice(index + length)
        }
        const bytes = Buffer.from(body, 'latin1')
        const whole = parse([bytes])
        expect(parse(cut(bytes, sizes))).toEqual(whole)
      }),
      { seed, numRuns: cases(400) },
    )
  })
})
