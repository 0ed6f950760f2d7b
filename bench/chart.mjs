import { PEERS } from './peers.mjs'

const COLUMNS = 3
const NAMES = 225
const BAR = 17
const TOP = 44
const PANEL = { width: 265, head: 30, foot: 16 }
/** The length of 1, and the ratio from which on a bar is cut; its number stays. */
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

/**
 * The summaries of requests as an SVG: a panel for each scenario, a bar for each peer, the line is
 * Fastify.
 */
export function chart(summaries) {
  const names = Object.keys(summaries[0].peers)
  const height = PANEL.head + names.length * BAR + PANEL.foot
  const rows = Math.ceil(summaries.length / COLUMNS)
  const panels = summaries.map((summary, index) => {
    const [x, y] = [
      NAMES + (index % COLUMNS) * PANEL.width,
      TOP + Math.floor(index / COLUMNS) * height,
    ]
    return `<g transform="translate(${x} ${y})">${panel(summary, index % COLUMNS === 0)}</g>`
  })
  const title = 'Server CPU per request, Fastify = 1: shorter is better'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${NAMES + COLUMNS * PANEL.width} ${TOP + rows * height}" role="img">
<title>${title}</title>
<style>${STYLE}
</style>
<text class="title" x="12" y="24">${title}</text>
${panels.join('\n')}
</svg>
`
}

function panel({ title, peers }, hasNames) {
  const bars = Object.entries(peers).map(([name, { toFastify }], index) =>
    bar(name, toFastify.median, PANEL.head + index * BAR, hasNames),
  )
  const line = `<line class="one" x1="${SCALE.unit}" x2="${SCALE.unit}" y1="${PANEL.head - 4}" y2="${PANEL.head + bars.length * BAR}"/>`
  return `<text class="scenario" y="18">${text(title)}</text>\n${bars.join('\n')}\n${line}`
}

function bar(name, ratio, y, hasName) {
  const width = Math.min(ratio, SCALE.most) * SCALE.unit
  const kind = PEERS.find(peer => peer.name === name).isOurs ? 'ours' : ''
  const middle = y + BAR / 2 + 3
  // beside the line, not on it
  const end = Math.max(width, SCALE.unit) + 5
  return [
    hasName
      ? `<text class="${kind}" x="-10" y="${middle}" text-anchor="end">${text(name)}</text>`
      : '',
    `<rect class="bar ${kind}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 4}" rx="2"/>`,
    ratio > SCALE.most
      ? `<rect class="cut" x="${width - 12}" y="${y}" width="4" height="${BAR - 4}"/>`
      : '',
    `<text class="${kind}" x="${end.toFixed(1)}" y="${middle}">${ratio.toFixed(2)}</text>`,
  ].join('')
}

const text = string => string.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
