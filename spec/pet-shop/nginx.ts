import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The shop's configuration, as the manual shows it. */
export const config = await readFile(
  new URL('../../examples/pet-shop/nginx.conf', import.meta.url),
  'utf8',
)

/** Whether nginx is installed. */
export const hasNginx = !spawnSync('nginx', ['-v']).error

export interface Nginx {
  readonly url: string
  stop(): void
}

/**
 * Runs nginx in front of a shop with the shop's configuration, or with a change of it; all its
 * files are in `folder`.
 */
export async function startNginx(
  folder: string,
  upstream: string,
  change = (site: string) => site,
): Promise<Nginx> {
  const address = `127.0.0.1:${await freePort()}`
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(folder, name)};`,
  )
  const site = change(config)
    .replace('listen 80;', `listen ${address};`)
    .replace('server 127.0.0.1:3000;', `server ${new URL(upstream).host};`)
    .replace('/var/log/nginx/pet-shop.log', join(folder, 'access.log'))
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `${user} daemon off; pid ${join(folder, 'nginx.pid')}; events {} http { ${paths.join(' ')}\n${site} }`
  const file = join(folder, 'nginx.conf')
  await writeFile(file, main)
  const nginx = spawn('nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'inherit' })
  const url = `http://${address}`
  while (nginx.exitCode === null && !(await answers(url))) await sleep(20)
  return { url, stop: () => void nginx.kill() }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
