import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const script = `
  import * as t from 'io-ts'
  import { decoderOf, Invalid } from './src/codec/decode/decode.ts'
  import { writerOf } from './src/codec/encode/encode.ts'
  import { compileWriter } from './src/codec/compile/encode/encode.ts'
  import { shapeOf } from './src/codec/shape/shape-of.ts'

  const Pet = t.strict({ name: t.string, tags: t.array(t.string) })
  const attempt = run => { try { return run() } catch (error) { return error.constructor.name } }
  console.log(JSON.stringify([
    attempt(() => compileWriter(shapeOf(Pet), () => value => value)({ name: 'Rex', tags: [] })),
    decoderOf(Pet)({ name: 'Rex', tags: ['good'] }),
    decoderOf(Pet)({ name: 1, tags: [] }) instanceof Invalid,
    writerOf(Pet)({ name: 'Rex', tags: ['good'], secret: 1 }),
    attempt(() => writerOf(Pet)({ name: 1, tags: [] })),
  ]))`

const ANSWERS = [
  { name: 'Rex', tags: ['good'] },
  true,
  '{"name":"Rex","tags":["good"]}',
  'EncodeError',
]

describe('where code may not be made of text', () => {
  it('the interpreters do the work', { timeout: 60_000 }, () => {
    expect(run('--disallow-code-generation-from-strings')).toEqual(['EvalError', ...ANSWERS])
  })

  it('and elsewhere the compiled forms do, the same', { timeout: 60_000 }, () => {
    expect(run()).toEqual(['{"name":"Rex","tags":[]}', ...ANSWERS])
  })
})

function run(...flags: readonly string[]): unknown[] {
  const options = {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    encoding: 'utf8',
  } as const
  return JSON.parse(
    execFileSync(
      process.execPath,
      [...flags, '--import', 'tsx', '--input-type=module', '-e', script],
      options,
    ),
  )
}
