import { parseArgs } from 'node:util'
import { earlierPeers, PEERS } from './peers.mjs'
import { SCENARIOS } from './scenarios.mjs'

const START = { name: 'start' }
const nameOf = ({ name }) => name
const keyOf = ({ key }) => key

const USAGE = `npm run bench -- [options]

  --only NAMES    scenarios to measure, separated by commas: ${[...SCENARIOS, START].map(nameOf).join(', ')}
  --peers NAMES   servers to measure: ${PEERS.map(keyOf).join(', ')}
  --rounds N      how often each is measured (10)
  --seconds N     how long each time (3)
  --minutes N     no round is begun later than that after the first one
  --no-sockets    requests are made within the servers' processes, so that nothing of the kernel is measured
  --earlier DIR   measures another build of this package too, whose index.js is in DIR, and tells ratios to it
  --json FILE     writes all figures to a file`

/** What the command line asks for; exits with the usage where it asks for something unknown. */
export function readOptions() {
  const { only, peers, rounds, seconds, minutes, json, earlier, 'no-sockets': noSockets } = parse()
  const wanted = chosen(only, [...SCENARIOS, START], nameOf)
  const all = earlier === undefined ? [] : earlierPeers(earlier)
  return {
    scenarios: wanted.filter(scenario => scenario !== START),
    hasStart: wanted.includes(START),
    peers: chosen(peers, PEERS, keyOf).flatMap(peer => [
      peer,
      ...all.filter(({ key }) => key === `${peer.key}-earlier`),
    ]),
    rounds: Number(rounds),
    seconds: Number(seconds),
    minutes: minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes),
    json,
    hasSockets: !noSockets,
    isWhole: only === undefined && peers === undefined && earlier === undefined && !noSockets,
  }
}

function parse() {
  const text = { type: 'string' }
  try {
    const { values } = parseArgs({
      options: {
        only: text,
        peers: text,
        rounds: { ...text, default: '10' },
        seconds: { ...text, default: '3' },
        json: text,
        minutes: text,
        earlier: text,
        'no-sockets': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    if (values.help) exit(0, USAGE)
    for (const name of ['minutes', 'rounds', 'seconds'])
      if (!/^[1-9]\d*$/.test(values[name] ?? '1'))
        exit(2, `--${name} ${values[name]}: not a number\n\n${USAGE}`)
    return values
  } catch (error) {
    return exit(2, `${error.message}\n\n${USAGE}`)
  }
}

function chosen(names, all, nameOf) {
  if (names === undefined) return all
  const unknown = names.split(',').filter(name => !all.some(item => nameOf(item) === name))
  if (unknown.length > 0) exit(2, `unknown: ${unknown.join(', ')}\n\n${USAGE}`)
  return all.filter(item => names.split(',').includes(nameOf(item)))
}

function exit(code, message) {
  console.log(message)
  process.exit(code)
}
