// Judges the items of a stream, one by one: each has to fit its documented schema.
import type { Json } from '../requests/document.js'
import type { SchemaJudge } from '../requests/schema-judge.js'
import type { Outcome } from '../send/session.js'
import type { Fault } from './report.js'

/** An event as OpenAPI 3.2 describes it: its fields are strings, as sent. */
interface SentEvent {
  readonly event?: string
  readonly data?: string
  readonly id?: string
}

/** The faults of the items that were read; the last one of a stream that was cut may be half. */
export function faultsOfItems(
  judge: SchemaJudge,
  described: Json,
  type: string,
  { text, isCut }: Outcome,
): readonly Fault[] {
  const schema = (described.itemSchema ?? described['x-itemSchema']) as Json | undefined
  const fault = (message: string) => [{ check: 'item', message }]
  if (type === 'text/event-stream') {
    for (const sent of eventsIn(text)) {
      if (sent.event === 'error' && !(schema && judge.faultOf(schema, sent) === undefined))
        return fault(`the stream ended with an error: ${sent.data ?? ''}`)
      const message = schema && faultOfEvent(judge, schema, sent)
      if (message) return fault(message)
    }
    return []
  }
  for (const line of linesIn(text, type, isCut)) {
    const value = parsed(line)
    if (value === undefined) return fault(`a line is not JSON: ${line.slice(0, 60)}`)
    const message = schema && faultOfValue(judge, schema, value)
    if (message) return fault(message)
  }
  return []
}

/** Whether a media type is that of a stream of items. */
export function hasItems(type: string): boolean {
  return type === 'text/event-stream' || LINES.has(type)
}

const LINES = new Set(['application/jsonl', 'application/x-ndjson', 'application/json-seq'])

/** The events of a stream, as the HTML standard reads them (9.2.6); one without data is none. */
function eventsIn(text: string): readonly SentEvent[] {
  const blocks = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n\n')
  // only an empty line ends an event
  return blocks.slice(0, -1).flatMap(block => {
    const fields = block
      .split('\n')
      .map(line => /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [])
      .map(([, name = '', value = '']) => [name, value] as const)
    const data = fields.filter(([name]) => name === 'data').map(([, value]) => value)
    if (data.length === 0) return []
    const of = (field: 'event' | 'id') => {
      const value = fields.findLast(([name]) => name === field)?.[1]
      return value ? { [field]: value } : {}
    }
    return [{ ...of('event'), ...of('id'), data: data.join('\n') }]
  })
}

function faultOfEvent(judge: SchemaJudge, schema: Json, sent: SentEvent): string | undefined {
  const fault = judge.faultOf(schema, sent)
  if (fault) return `an event is not as documented: ${fault}`
  const branches = judge.branchesOf(schema).filter(one => judge.faultOf(one, sent) === undefined)
  const faults = branches.map(branch => {
    const { contentMediaType, contentSchema } = judge.propertyOf(branch, 'data')
    if (contentMediaType !== 'application/json') return undefined
    const value = parsed(sent.data ?? '')
    if (value === undefined) return 'its data are not JSON'
    return contentSchema && faultOfValue(judge, contentSchema as Json, value)
  })
  const name = sent.event === undefined ? 'an event' : `an event "${sent.event}"`
  return faults.length === 0 || faults.includes(undefined) ? undefined : `${name}: ${faults[0]}`
}

function faultOfValue(judge: SchemaJudge, schema: Json, value: unknown): string | undefined {
  const fault = judge.faultOf(schema, value)
  if (fault) return `an item is not as documented: ${fault}`
  const undeclared = judge.undeclaredIn(schema, value)
  return undeclared && `an item has more than is documented: ${undeclared}`
}

function linesIn(text: string, type: string, isCut: boolean): readonly string[] {
  const lines = text.split(type === 'application/json-seq' ? '\u001e' : '\n')
  return (isCut ? lines.slice(0, -1) : lines).filter(line => line.trim() !== '')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
