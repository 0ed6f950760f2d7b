import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Whether server and load can be kept on cores of their own. */
export const isPinned =
  availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0
const SERVER_CORE = '0'
const LOAD_CORE = '1'
/**
 * V8 makes the heap of an idle process small; a server under load, which is what is measured, would
 * not be idle.
 */
const NO_SHRINKING = '--no-memory-reducer'

/** Keeps this process, the load, away from the servers' core. */
export function pinLoad() {
  if (isPinned) spawnSync('taskset', ['-a', '-p', '-c', LOAD_CORE, String(process.pid)])
}

/**
 * Starts a server in a process of its own and waits for the first answer; `start` is what that
 * took, in ms.
 */
export async function startServer(peer, environment = {}, flags = []) {
  const port = await freePort()
  const command = [
    process.execPath,
    NO_SHRINKING,
    ...flags,
    '--import',
    path('control.mjs'),
    path(`servers/${peer.file}`),
  ]
  if (isPinned) command.unshift('taskset', '-c', SERVER_CORE)
  const began = performance.now()
  const child = spawn(command[0], command.slice(1), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      ...peer.environment,
      ...environment,
      PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`${peer.name} has ended while it started`)
    await setTimeout(2)
  }
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${peer.name} has ended`)
  })
  // who waits for nothing is not told
  ended.catch(() => {})
  const server = {
    peer,
    port,
    ask: message => Promise.race([ask(child, message), ended]),
    usage: () => usageOf(child),
    stop: () => stop(child),
  }
  await fetch(`http://127.0.0.1:${port}/pets?page_size=1`)
  const time = performance.now() - began
  return { ...server, start: { time, cpu: (await server.usage()).cpu / 1000 } }
}

const path = name => fileURLToPath(new URL(name, import.meta.url))

/** CPU time so far in us, of all threads, and resident memory in bytes. */
async function usageOf(child) {
  if (existsSync('/proc/self/schedstat')) return usageFromProc(child.pid)
  return ask(child, 'usage')
}

async function ask(child, message) {
  child.send(message)
  const [answer] = await once(child, 'message')
  return answer
}

/** From outside, so that asking costs the server nothing. */
function usageFromProc(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`).map(task =>
    readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8'),
  )
  const nanoseconds = tasks.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0)
  const kilobytes = Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
  return { cpu: nanoseconds / 1000, memory: kilobytes * 1024 }
}

async function stop(child) {
  child.send('stop')
  await once(child, 'exit')
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function isOpen(port) {
  const socket = connect(port, '127.0.0.1')
  return new Promise(resolve => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
