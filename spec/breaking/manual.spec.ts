import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { levelOf, RULES, type RuleId } from '../../src/breaking/rules.js'
import { root } from '../architecture/source.js'

it('the manual has every rule, with its levels', () => {
  const rows = readFileSync(join(root, 'docs/evolving.md'), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => line.split('|').map(cell => cell.trim()))
  const listed = rows.flatMap(([, ids = '', request = '', response = '']) =>
    [...ids.matchAll(/`([a-z-]+)`/g)]
      .filter(([, id = '']) => id in RULES)
      .map(([, id = '']) => ({ id, request, response })),
  )
  const levels = (id: RuleId) => ({
    request: levelOf(id, 'request'),
    response: levelOf(id, 'response'),
  })
  const differing = listed.filter(({ id, request, response }) => {
    const expected = levels(id as RuleId)
    // an empty cell is a way that such a change cannot go
    return [
      [request, expected.request],
      [response, expected.response],
    ].some(([shown = '', level]) => shown !== '' && shown.replace('\\*', '') !== level)
  })
  expect({
    differing,
    missing: Object.keys(RULES).filter(id => !listed.some(row => row.id === id)),
  }).toEqual({
    differing: [],
    missing: [],
  })
})
