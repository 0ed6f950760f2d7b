import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { droppedByNotModified } from '../../src/http/not-modified.js'
import {
  type Conditions,
  conditionsOf,
  evaluate,
  lacksIfMatch,
} from '../../src/http/preconditions.js'

interface Case {
  readonly id: string
  readonly group: string
  readonly method: string
  readonly current_etag: string | null
  readonly exists: boolean
  readonly last_modified: string | null
  readonly plain_status: number
  readonly config: { readonly require_if_match?: boolean; readonly etag_disabled?: boolean }
  readonly headers: readonly (readonly [string, string])[]
  readonly expected: {
    readonly status: number
    readonly drop_headers?: readonly string[]
    readonly keep_headers?: readonly string[]
  }
  readonly note: string
}

const { cases } = JSON.parse(
  readFileSync(new URL('conditional-cases.json', import.meta.url), 'utf8'),
) as { cases: Case[] }

/** As Node does: tag lists are joined, of dates the first counts. */
function received(lines: Case['headers']): Conditions {
  const headers: Record<string, string> = {}
  for (const [name, value] of lines) {
    const key = name.toLowerCase()
    if (headers[key] === undefined) headers[key] = value.trim()
    else if (key.endsWith('match')) headers[key] += `, ${value.trim()}`
  }
  return conditionsOf(headers)
}

function answer({
  method,
  current_etag,
  exists,
  last_modified,
  plain_status,
  config,
  headers,
}: Case): number {
  const conditions = received(headers)
  if (config.etag_disabled) return plain_status
  if (config.require_if_match && lacksIfMatch(method, conditions, { create: true })) return 428
  if (plain_status >= 400) return plain_status
  const lastModified = last_modified === null ? undefined : new Date(last_modified)
  const status = evaluate(method, conditions, {
    exists,
    etag: current_etag ?? undefined,
    lastModified,
  })
  return status === 200 ? plain_status : status
}

describe('preconditions, RFC 9110 section 13', () => {
  it.each(
    cases.map(
      one =>
        [one.id, one.group, one.method, JSON.stringify(one.headers).slice(0, 100), one] as const,
    ),
  )('%s %s: %s %s', (_id, _group, _method, _headers, one) => {
    expect(answer(one), one.note).toBe(one.expected.status)
  })

  it('leave out of a 304 the header fields that the cases name, and no others', () => {
    const of304 = cases.filter(one => one.expected.status === 304)
    const dropped = of304
      .flatMap(one => one.expected.drop_headers ?? [])
      .map(name => name.toLowerCase())
    const kept = of304
      .flatMap(one => one.expected.keep_headers ?? [])
      .map(name => name.toLowerCase())
    expect(dropped.length).toBeGreaterThan(0)
    expect([...new Set(droppedByNotModified([...kept, ...dropped]))].sort()).toEqual(
      [...new Set(dropped)].sort(),
    )
  })

  it('do not hold for a change if their list is malformed, so that they fail closed', () => {
    const current = { exists: true, etag: '"v1"', lastModified: undefined }
    const conditions = conditionsOf({ 'if-none-match': 'v1' })
    expect(evaluate('PUT', conditions, current)).toBe(412)
    expect(evaluate('GET', conditions, current)).toBe(200)
    expect(evaluate('PUT', conditionsOf({ 'if-none-match': '' }), current)).toBe(200)
  })

  it('ignore If-Modified-Since beside an If-None-Match, even an empty one', () => {
    const current = { exists: true, etag: '"v1"', lastModified: new Date(0) }
    const date = 'Tue, 10 Mar 2026 10:00:00 GMT'
    expect(
      evaluate('GET', conditionsOf({ 'if-none-match': '', 'if-modified-since': date }), current),
    ).toBe(200)
    expect(evaluate('GET', conditionsOf({ 'if-modified-since': date }), current)).toBe(304)
  })

  it('compare dates in seconds, since HTTP-dates have no smaller unit', () => {
    const current = {
      exists: true,
      etag: undefined,
      lastModified: new Date('2026-03-10T10:00:00.900Z'),
    }
    expect(
      evaluate(
        'GET',
        conditionsOf({ 'if-modified-since': 'Tue, 10 Mar 2026 10:00:00 GMT' }),
        current,
      ),
    ).toBe(304)
    expect(
      evaluate(
        'PUT',
        conditionsOf({ 'if-unmodified-since': 'Tue, 10 Mar 2026 10:00:00 GMT' }),
        current,
      ),
    ).toBe(200)
  })
})

describe('428', () => {
  const needs = (method: string, headers: Record<string, string> = {}) =>
    lacksIfMatch(method, conditionsOf(headers))
  const needsToCreate = (ifNoneMatch: string) =>
    lacksIfMatch('PUT', conditionsOf({ 'if-none-match': ifNoneMatch }), { create: true })

  it.each(['PUT', 'PATCH', 'DELETE'])('is the response to %s without If-Match', method => {
    expect(needs(method)).toBe(true)
    expect(needs(method, { 'if-none-match': '*' })).toBe(true)
    expect(needs(method, { 'if-match': '"a"' })).toBe(false)
  })

  it.each(['GET', 'HEAD', 'POST', 'OPTIONS'])('is never the response to %s', method => {
    expect(needs(method)).toBe(false)
  })

  it('is not the response to a PUT that may create, under exactly If-None-Match: *', () => {
    expect(needsToCreate('*')).toBe(false)
    expect(needsToCreate('"a"')).toBe(true)
    expect(needsToCreate('*, "a"')).toBe(true)
  })
})
