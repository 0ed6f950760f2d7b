// Checks that written data is shown again: every field that the document describes alike on both
// sides has the value that was sent.
import { Alike, type Difference, isObject, type Typed } from '../requests/alike.js'
import {
  type ApiDocument,
  type DescribedOperation,
  type Json,
  pathNames,
} from '../requests/document.js'
import { FilePart, type RequestCase } from '../requests/request-case.js'
import type { SchemaJudge } from '../requests/schema-judge.js'
import { isNamedAfter } from '../send/resources.js'
import type { Outcome } from '../send/session.js'
import type { Fault } from './report.js'

/** Why a field comes back changed, or what is expected of it. */
type Normalises = Readonly<Record<string, string | ((value: never) => unknown)>>

/** Returns whether null in a body removes a field (RFC 7396). */
export function takesMergePatch({ bodies }: DescribedOperation): boolean {
  return bodies.some(({ mediaType }) => mediaType === 'application/merge-patch+json')
}

export class Echo {
  readonly alike: Alike

  constructor(
    document: ApiDocument,
    judge: SchemaJudge,
    readonly normalises: Normalises,
  ) {
    this.alike = new Alike(document, judge)
  }

  /** The fields that a response shows with a different value than was sent. */
  faultsOfResponse(operation: DescribedOperation, outcome: Outcome): readonly Fault[] {
    const { sent, status, json } = outcome
    const schema = schemaOf(operation, status)
    if (!sent || !schema || json === undefined || status >= 300 || status === 202) return []
    return this.faults(operation, sent, { schema, value: json }, 'the response')
  }

  /** The fields that a later GET shows with a different value than was sent. */
  faults(
    operation: DescribedOperation,
    sent: RequestCase,
    shown: Typed,
    where: string,
  ): readonly Fault[] {
    const given = sentIn(operation, sent)
    if (!given || !['POST', 'PUT', 'PATCH'].includes(operation.method)) return []
    const place = sent.body?.mediaType.endsWith('json') ? 'json' : 'form'
    const found = Array.isArray(given.value)
      ? this.#missingRows(given as Typed & { value: readonly unknown[] }, shown)
      : this.alike.differences(given, shown, {
          defaults: operation.method !== 'PATCH',
          nullRemoves: takesMergePatch(operation),
        })
    const names = pathNames(operation.path)
    const differs = found.find(
      one =>
        !this.#isMeant(`${operation.name} ${place}.`, one) &&
        // the path decides these fields, not the body
        !names.some(name => isNamedAfter(name, one.field)),
    )
    return differs ? [{ check: 'law: echo', message: told(differs, where) }] : []
  }

  /** Whether `normalises` explains this difference. */
  #isMeant(prefix: string, { field, given, shown }: Difference): boolean {
    const rule = this.normalises[prefix + field]
    if (rule === undefined || typeof rule === 'string') return rule !== undefined
    return JSON.stringify(rule(given as never)) === JSON.stringify(shown)
  }

  /** The first of the rows that were sent that none of the rows shown is like. */
  #missingRows(given: Typed & { value: readonly unknown[] }, shown: Typed): readonly Difference[] {
    const items = this.alike.document.resolve(given.schema).items as Json | undefined
    const others = this.alike.itemsOf(shown.schema)
    const rows = Array.isArray(shown.value)
      ? shown.value
      : Object.values(isObject(shown.value) ? shown.value : {}).find(Array.isArray)
    if (!items || !others || !rows) return []
    const isLike = (value: unknown) => (row: unknown) =>
      this.alike.differences(
        { schema: items, value },
        { schema: others, value: row },
        { defaults: true },
      ).length === 0
    const lost = given.value.find(value => isObject(value) && !rows.some(isLike(value)))
    return lost === undefined ? [] : [{ field: '', given: lost, shown: undefined }]
  }
}

function told({ field, given, shown }: Difference, where: string): string {
  if (field === '')
    return shown === undefined
      ? `${where} has no item like ${brief(given)}, which was sent`
      : `${where} is ${brief(shown)}, and ${brief(given)} was sent`
  return `${where} has ${field} = ${brief(shown)}, and ${brief(given)} was sent`
}

/**
 * The fields of a form without its files, which `bytes` compares. A multipart body has the line
 * ends of a mail.
 */
function textsOf(value: Readonly<Record<string, unknown>>): object {
  const fields = Object.entries(value).filter(
    ([, one]) => ![one].flat().some(each => each instanceof FilePart),
  )
  const sent = (one: unknown) => (typeof one === 'string' ? one.replace(/\r?\n|\r/g, '\r\n') : one)
  return Object.fromEntries(fields.map(([name, one]) => [name, sent(one)]))
}

export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** The request body as fields, with its schema; undefined for bytes and files. */
export function sentIn({ bodies }: DescribedOperation, { body }: RequestCase): Typed | undefined {
  const described = bodies.find(one => one.mediaType === body?.mediaType)
  if (!described || !body || !('value' in body)) return undefined
  const { value } = body
  const isForm = body.mediaType.startsWith('multipart') && isObject(value)
  return { schema: described.schema, value: isForm ? textsOf(value) : value }
}

/** The documented schema of a response; undefined if it is not JSON. */
export function schemaOf(
  operation: DescribedOperation | undefined,
  status: number,
): Json | undefined {
  const { content = {} } = operation?.responses[status] ?? {}
  return Object.entries(content).find(([type]) => /[/+]json$/.test(type))?.[1].schema as
    | Json
    | undefined
}
