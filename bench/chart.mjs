const COLUMNS = 3
const NAMES = 175
const BAR = 17
const PANEL = { width: 265, head: 30, foot: 16 }
/** A bar for each tenth of a ratio; longer ones are cut, their number stays. */
const SCALE = { unit: 52, most: 4 }

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .scenario { font-weight: 600 }
  .bar { fill: #b6bdc6 }
  .ours { fill: #2f6feb }
  text.ours { font-weight: 600 }
  .cut { fill: #fff }
  .one { stroke: #57606a; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .bar { fill: #545d68 }
    .ours { fill: #6ea8fe }
    .cut { fill: #0d1117 }
    .one { stroke: #9198a1 }
  }`

/** The summaries of requests as an SVG: a panel for each scenario, a bar for each peer, the line is Fastify. */
export function chart(summaries, isOurs) {
  const names = Object.keys(summaries[0].peers)
  const height = PANEL.head + names.length * BAR + PANEL.foot
  const rows = Math.ceil(summaries.length / COLUMNS)
  const panels = summaries.map((summary, index) => {
    const [x, y] = [NAMES + (index % COLUMNS) * PANEL.width, 44 + Math.floor(index / COLUMNS) * height]
    return `<g transform="translate(${x} ${y})">${panel(summary, isOurs, index % COLUMNS === 0)}</g>`
  })
  const title = 'Server CPU per request, Fastify = 1: shorter is better'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${NAMES + COLUMNS * PANEL.width} ${44 + rows * height}" role="img">
<title>${title}</title>
<style>${STYLE}
</style>
<text class="title" x="12" y="24">${title}</text>
${panels.join('\n')}
</svg>
`
}

function panel({ title, peers }, isOurs, hasNames) {
  const bars = Object.entries(peers).map(([name, { toFastify }], index) => bar(name, toFastify.median, PANEL.head + index * BAR, isOurs(name), hasNames))
  const line = `<line class="one" x1="${SCALE.unit}" x2="${SCALE.unit}" y1="${PANEL.head - 4}" y2="${PANEL.head + bars.length * BAR}"/>`
  return `<text class="scenario" y="18">${escape(title)}</text>\n${bars.join('\n')}\n${line}`
}

function bar(name, ratio, y, ours, hasName) {
  const width = Math.min(ratio, SCALE.most) * SCALE.unit
  const kind = ours ? ' ours' : ''
  const middle = y + BAR / 2 + 3
  return [
    hasName ? `<text class="name${kind}" x="-10" y="${middle}" text-anchor="end">${escape(name)}</text>` : '',
    `<rect class="bar${kind}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 4}" rx="2"/>`,
    ratio > SCALE.most ? `<rect class="cut" x="${width - 12}" y="${y}" width="4" height="${BAR - 4}"/>` : '',
    `<text class="value${kind}" x="${(width + 5).toFixed(1)}" y="${middle}">${ratio.toFixed(2)}</text>`,
  ].join('')
}

const escape = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
