import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/source.js'

const folder = join(root, 'docs/decisions')
const pages = readdirSync(folder).filter(name => name !== 'README.md')

it('every decision has a number of its own, in its name and in its heading', () => {
  const numbers = pages.map(name => Number(name.slice(0, 4)))
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
  const headings = pages.map(name =>
    Number(/^# (\d+)\. /.exec(readFileSync(join(folder, name), 'utf8'))?.[1]),
  )
  expect(headings).toEqual(numbers)
})

it('the index of decisions has all of them, each with its number', () => {
  const listed = Array.from(
    readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\[(\d+)\]\((\S+)\)/g),
    ([, number, name]) => [number, name],
  )
  expect(listed.map(([, name]) => name).sort()).toEqual(pages)
  for (const [number = '', name = ''] of listed)
    expect(name.startsWith(number.padStart(4, '0')), name).toBe(true)
})
