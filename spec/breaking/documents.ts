// Documents that differ in one thing, for the specs of `openapi breaking`.
import { breaking, type Finding } from '../../src/breaking/breaking.js'

export type Json = { readonly [key: string]: unknown }
export type Verdict = 'ERR' | 'WARN' | 'OK'

/** The first day on which the specs compare documents. */
export const TODAY = Date.parse('2026-11-22')

export function documentOf(operation: Json, rest: Json = {}, version = '3.1.0'): Json {
  return {
    openapi: version,
    info: { title: 'Pets', version: '1' },
    paths: { '/pets': { post: operation } },
    ...rest,
  }
}

/** A document with a schema in its request or in its response, and components beside it. */
export function documentWith(
  way: 'request' | 'response',
  schema: unknown,
  { version = '3.1.0', schemas = {} }: Written = {},
): Json {
  const content = { 'application/json': { schema } }
  const none = { 204: { description: 'Done' } }
  const operation =
    way === 'request'
      ? { requestBody: { content }, responses: none }
      : { responses: { 200: { description: 'A pet', content } } }
  return documentOf(operation, { components: { schemas } }, version)
}

export interface Written {
  readonly version?: string
  readonly schemas?: Json
}

/** The worst level among what was found. */
export function verdict(before: Json, after: Json): Verdict {
  return worst(breaking(before, after, { today: TODAY }))
}

export function worst(findings: readonly Finding[]): Verdict {
  const levels = findings.map(({ level }) => level)
  return levels.includes('ERR') ? 'ERR' : levels.includes('WARN') ? 'WARN' : 'OK'
}
