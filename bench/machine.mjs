import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { PEERS } from './peers.mjs'
import { isPinned } from './server-process.mjs'

/** The machine that this runs on, and how busy it is. */
export function machine() {
  return {
    processor: `${cpus().length} x ${cpus()[0].model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()}`,
    node: process.version,
    cores: isPinned ? 'server and load each on its own' : 'shared by server and load',
    load: loadavg().map(load => Number(load.toFixed(2))),
  }
}

/** Name and version of each package of the peers. */
export function versions() {
  const names = [...new Set(PEERS.flatMap(peer => peer.packages))].sort()
  return Object.fromEntries(names.map(name => [name, versionOf(name)]))
}

function versionOf(name) {
  const places = ['./node_modules', '../node_modules'].map(
    folder => new URL(`${folder}/${name}/package.json`, import.meta.url),
  )
  return JSON.parse(readFileSync(places.find(existsSync), 'utf8')).version
}
