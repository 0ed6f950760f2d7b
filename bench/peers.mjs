import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The peers that ratios are taken against. */
export const BY_HAND = 'node:http by hand'
export const FASTIFY = 'Fastify + TypeBox'
export const USUAL_KOA = 'Koa as its users write it'

const SMOREST = {
  file: 'koa-smorest.mjs',
  packages: ['koa', 'io-ts'],
  document: '/openapi.json',
  isOurs: true,
}

/**
 * What is measured, in the order of the tables: a name, the one for the command line, a server's
 * file with its environment, the packages whose versions are told, where its document is. The first
 * is what the others' answers are compared with.
 */
export const PEERS = [
  { name: BY_HAND, key: 'node', file: 'node.mjs', packages: [] },
  {
    name: 'koa-smorest behind middleware',
    key: 'behind',
    ...SMOREST,
    environment: { VARIANT: 'behind' },
  },
  {
    name: 'koa-smorest behind middleware, Application',
    key: 'behind-application',
    ...SMOREST,
    environment: { VARIANT: 'behind-application' },
  },
  { name: 'koa-smorest alone on new Koa()', key: 'koa-smorest', ...SMOREST },
  {
    name: 'koa-smorest alone on Application',
    key: 'application',
    ...SMOREST,
    environment: { VARIANT: 'application' },
  },
  {
    name: 'Fastify + TypeBox',
    key: 'fastify',
    file: 'fastify.mjs',
    packages: ['fastify', '@sinclair/typebox', '@fastify/etag'],
  },
  {
    name: 'Koa as its users write it',
    key: 'koa',
    file: 'koa.mjs',
    packages: ['koa', '@koa/router', 'koa-body', 'io-ts', '@koa/etag', 'koa-conditional-get'],
  },
  {
    name: 'Hono + zod-openapi',
    key: 'hono',
    file: 'hono.mjs',
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'zod'],
    document: '/openapi.json',
  },
  { name: 'Express 5 + zod', key: 'express', file: 'express.mjs', packages: ['express', 'zod'] },
  {
    name: 'NestJS on Fastify',
    key: 'nest',
    file: 'nest.mjs',
    packages: ['@nestjs/core', '@nestjs/platform-fastify', 'class-validator'],
  },
]

/** The three ways of koa-smorest as another build of it has them; `folder` has its `index.js`. */
export function earlierPeers(folder) {
  const KOA_SMOREST = pathToFileURL(resolve(folder, 'index.js')).href
  return PEERS.filter(peer => peer.isOurs).map(peer => ({
    ...peer,
    name: `${peer.name}, earlier`,
    key: `${peer.key}-earlier`,
    environment: { ...peer.environment, KOA_SMOREST },
  }))
}
