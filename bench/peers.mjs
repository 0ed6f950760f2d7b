/**
 * What is measured, in the order of the table: a server's file, the packages whose versions are told, where its document is. The first is what
 * the others' answers are compared with; a variant of a server differs by its environment.
 */
export const PEERS = [
  { name: 'node:http by hand', file: 'node.mjs', packages: [] },
  { name: 'koa-smorest', file: 'koa-smorest.mjs', packages: ['koa', 'io-ts'], document: '/openapi.json', isOurs: true },
  { name: 'Fastify + TypeBox', file: 'fastify.mjs', packages: ['fastify', '@sinclair/typebox', '@fastify/etag'] },
  { name: 'Koa as its users write it', file: 'koa.mjs', packages: ['koa', '@koa/router', 'koa-body', 'io-ts', '@koa/etag', 'koa-conditional-get'] },
  { name: 'Hono + zod-openapi', file: 'hono.mjs', packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'zod'], document: '/openapi.json' },
  { name: 'Express 5 + zod', file: 'express.mjs', packages: ['express', 'zod'] },
  { name: 'NestJS on Fastify', file: 'nest.mjs', packages: ['@nestjs/core', '@nestjs/platform-fastify', 'class-validator'] },
]

/** The peers that ratios are taken against. */
export const FASTIFY = 'Fastify + TypeBox'
export const USUAL_KOA = 'Koa as its users write it'
