// Checks every response, whatever the request: its status, header fields and body match the
// document, and an error shows nothing of the server's internals.
import { isInRange } from '../../http/media-type.js'
import {
  type ApiDocument,
  type DescribedOperation,
  describedFor,
  type Json,
} from '../requests/document.js'
import type { SchemaJudge } from '../requests/schema-judge.js'
import { mediaTypeOf } from '../send/reading.js'
import type { Outcome } from '../send/session.js'
import type { Echo } from './echo.js'
import { faultsOfLifecycle } from './field-laws.js'
import type { Fault } from './report.js'
import { faultsOfItems, hasItems } from './stream-items.js'

/** Fields that belong to HTTP, to connections or to every response, not to one operation. */
const GENERAL = new Set([
  ...[
    'allow',
    'cache-control',
    'connection',
    'content-encoding',
    'content-language',
    'content-length',
    'content-type',
    'date',
  ],
  ...[
    'etag',
    'expires',
    'keep-alive',
    'last-modified',
    'server',
    'set-cookie',
    'strict-transport-security',
    'trailer',
  ],
  ...[
    'transfer-encoding',
    'vary',
    'via',
    'www-authenticate',
    'retry-after',
    'content-disposition',
    'location',
    'content-location',
  ],
  // addressed to a proxy, which removes it
  'x-accel-buffering',
  // a 415 lists the accepted types here (RFC 9110, section 15.5.16; RFC 5789, section 2.2)
  ...['accept', 'accept-encoding', 'accept-patch'],
  ...[
    'accept-ranges',
    'content-range',
    'age',
    'alt-svc',
    'server-timing',
    'pragma',
    'permissions-policy',
  ],
  ...['x-content-type-options', 'content-security-policy', 'x-frame-options', 'referrer-policy'],
])

/** Looks like a stack trace, the path of a module or an SQL statement. */
const INTERNALS =
  /\n\s+at .+:\d+:\d+|node_modules|\bfile:\/\/\/|\b(?:TypeError|ReferenceError|SyntaxError|AssertionError):|\bSELECT .+ FROM\b/

export class Checks {
  constructor(
    readonly document: ApiDocument,
    readonly judge: SchemaJudge,
    /** Fields that middleware sends with every response, operations or not. */
    readonly foreign: ReadonlySet<string>,
    readonly echo: Echo,
  ) {}

  faultsOf(operation: DescribedOperation, outcome: Outcome): readonly Fault[] {
    const { status } = outcome
    if (status >= 500 && operation.responses[status] === undefined)
      return [{ check: 'server error', message: `${status}: the application failed` }]
    const described = describedFor(operation, status)
    if (!described)
      return [{ check: 'status', message: `${status} is not documented for this operation` }]
    return [
      ...this.#faultsOfHeaders(described.headers, outcome),
      ...this.#faultsOfBody(described.content, outcome),
      ...faultsOfError(outcome),
      ...faultsOfLifecycle(operation, outcome),
      ...this.echo.faultsOfResponse(operation, outcome),
    ]
  }

  #faultsOfHeaders(
    declared: Readonly<Record<string, object>>,
    { headers, request, reached }: Outcome,
  ): readonly Fault[] {
    const faults: Fault[] = []
    for (const [name, header] of Object.entries(declared)) {
      const {
        required = false,
        schema,
        content,
      } = header as {
        required?: boolean
        schema?: object
        content?: Record<string, { schema?: object }>
      }
      const value = headers.get(name)
      if (value === null) {
        // an error of the router or of middleware in front belongs to no operation
        if (required && reached)
          faults.push({
            check: 'header field',
            message: `${name} is documented as always sent, and was not`,
          })
        continue
      }
      const json = content?.['application/json']?.schema
      const fault = json
        ? this.judge.faultOf(json as never, parsed(value))
        : schema && this.#faultOfText(schema, value)
      if (fault)
        faults.push({
          check: 'header field',
          message: `${name}: ${value} is not as documented: ${fault}`,
        })
    }
    const names = new Set(Object.keys(declared).map(name => name.toLowerCase()))
    const others = [...headers.keys()].filter(
      name => !names.has(name) && !GENERAL.has(name) && !this.foreign.has(name),
    )
    // OPTIONS and HEAD repeat what is documented elsewhere
    if (others.length > 0 && request.method !== 'OPTIONS' && request.method !== 'HEAD')
      faults.push({
        check: 'undocumented header field',
        message: `${others.join(', ')}: sent, and not documented`,
      })
    return faults
  }

  /** The schema may want a number or a boolean, so those readings of a field are tried too. */
  #faultOfText(schema: object, value: string): string | undefined {
    const readings: unknown[] = [
      value,
      ...(Number.isFinite(Number(value)) ? [Number(value)] : []),
      ...(/^(true|false)$/.test(value) ? [value === 'true'] : []),
    ]
    const faults = readings.map(reading => this.judge.faultOf(schema as never, reading))
    return faults.includes(undefined) ? undefined : faults[0]
  }

  #faultsOfBody(content: Readonly<Record<string, object>>, outcome: Outcome): readonly Fault[] {
    const { headers, text, json, request } = outcome
    if (request.method === 'HEAD')
      return text === '' ? [] : [{ check: 'HEAD', message: 'the response to HEAD has a body' }]
    const type = mediaTypeOf(headers)
    if (text === '' && (Object.keys(content).length === 0 || type === '')) return []
    const range = Object.keys(content).find(known => isInRange(known.toLowerCase(), type))
    if (range === undefined)
      return [
        {
          check: 'content type',
          message: `${type || 'no media type'} was sent, and ${Object.keys(content).join(', ') || 'no body'} is documented`,
        },
      ]
    if (hasItems(type)) return faultsOfItems(this.judge, content[range] as Json, type, outcome)
    if (outcome.isCut) return []
    const { schema } = content[range] as { schema?: object }
    if (!schema || !/[/+]json$/.test(type)) return []
    if (json === undefined) return [{ check: 'body', message: 'the body is not JSON' }]
    const fault = this.judge.faultOf(schema as never, json)
    if (fault) return [{ check: 'body', message: `the body is not as documented: ${fault}` }]
    const undeclared =
      outcome.status < 400 ? this.judge.undeclaredIn(schema as never, json) : undefined
    return undeclared
      ? [
          {
            check: 'undeclared field',
            message: `the body has more than is documented: ${undeclared}`,
          },
        ]
      : []
  }
}

function faultsOfError({ status, text, request }: Outcome): readonly Fault[] {
  if (status < 400) return []
  // JSON writes a line break as an escape
  const found = INTERNALS.exec(text.replaceAll('\\n', '\n'))
  if (found)
    return [
      {
        check: 'internals',
        message: `the error shows the inside of the server: ${found[0].trim().slice(0, 100)}`,
      },
    ]
  const echoed =
    echoedIn(request.target.split('?')[1] ?? '', text) ??
    echoedIn(typeof request.body === 'string' ? request.body : '', text)
  return echoed
    ? [{ check: 'echo', message: `the error repeats what was sent: ${echoed.slice(0, 60)}` }]
    : []
}

/**
 * A value of the request, long enough to be told from a word of the message, that an error repeats.
 */
function echoedIn(sent: string, text: string): string | undefined {
  const values = [
    ...sent.matchAll(/=([^&]{16,})/g),
    ...sent.matchAll(/:\s*"((?:[^"\\]|\\.){16,})"/g),
  ].map(([, value = '']) => decoded(value))
  return values.find(value => text.includes(JSON.stringify(value).slice(1, -1)))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
