const figure = (value, digits) =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits)

/** All figures of a run as text, its tables in Markdown. */
export function reportOf({
  machine,
  versions,
  rounds,
  seconds,
  scenarios,
  routesToItem,
  starts,
  memory,
  loadAtTheEnd,
}) {
  const lines = Object.entries({ ...machine, 'load at the end': loadAtTheEnd }).map(
    ([name, value]) => `${name}: ${[value].flat().join(' ')}`,
  )
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const parts = [lines.join('\n'), names.join(', ')]
  if (scenarios)
    parts.push(`Medians of ${rounds} rounds of ${seconds} s`, ...requestTables(scenarios))
  if (starts || routesToItem) parts.push(otherTable({ starts, memory, routesToItem }))
  return `${parts.join('\n\n')}\n`
}

const UNITS = [
  { unit: 'relative to Fastify', key: 'toFastify', digits: 2 },
  { unit: 'relative to the earlier build', key: 'toEarlier', digits: 2 },
  { unit: 'relative to Koa as its users write it', key: 'toUsualKoa', digits: 2 },
  { unit: 'us', key: 'cpu', digits: 1 },
  { unit: 'us more than node:http by hand', key: 'overNode', digits: 1 },
]

/** A median with its quartiles, and the minimum. */
export const cell = ({ median, quartiles: [low, high], minimum }, digits) =>
  `${figure(median, digits)} (${figure(low, digits)}–${figure(high, digits)}; ${figure(minimum, digits)})`

function requestTables(scenarios) {
  const peers = Object.keys(scenarios[0].peers)
  const head = ['', ...scenarios.map(({ title }) => title)]
  return UNITS.flatMap(({ unit, key, digits }) => {
    const shown = peers.filter(peer => scenarios[0].peers[peer][key])
    if (shown.length === 0) return []
    const rows = shown.map(peer => [
      peer,
      ...scenarios.map(scenario => cell(scenario.peers[peer][key], digits)),
    ])
    return [`Server CPU per request, ${unit}, median (quartiles; minimum)`, table(head, rows)]
  })
}

function otherTable({ starts = {}, memory = {}, routesToItem = {} }) {
  const rows = Object.keys({ ...starts, ...routesToItem }).map(peer => {
    const { time, cpu, document, memory: memoryThen } = starts[peer] ?? {}
    return [
      peer,
      ...[time, cpu, document, memoryThen, memory[peer]].map(value => figure(value, 0)),
      figure(routesToItem[peer], 2),
    ]
  })
  const head = [
    'first answer, ms',
    'CPU until then, ms',
    'document, CPU ms',
    'memory then, MB',
    'memory after load, MB',
    '1,000 routes : 1',
  ]
  return `1,000 operations at the start; one resource after the load; an item among 1,000 routes, relative to the same alone\n\n${table(['', ...head], rows)}`
}

/** A table in Markdown whose columns line up in a terminal too. */
export function table(head, rows) {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...rows.map(row => row[column].length)),
  )
  const line = cells =>
    `| ${cells.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join(' | ')} |`
  const rule = widths.map((width, column) =>
    column ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  )
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
