import { isInRange } from '../http/media-type.js'
import { canonical } from '../openapi/schema/json.js'
import type { Raw } from './alternative.js'
import { type Change, change } from './change.js'
import { type SchemaComparison, withoutDefault } from './compare-schemas.js'
import type { Content, Header, Operation, Parameter } from './operations.js'
import { otherWay, type RuleId, type Way } from './rules.js'
import { compareSecurity, type Schemes } from './security.js'
import { compareSunsets, isOver } from './sunsets.js'

/** A change, and its place in an operation: `response 200 application/json`. */
export interface Found {
  readonly change: Change
  readonly where: string
  readonly way: Way
}

/** Compares an operation that is in both documents; lists harmless changes too. */
export class OperationComparison {
  constructor(
    private readonly schemas: SchemaComparison,
    private readonly schemes: Schemes,
    private readonly today: number,
    /** Whether the server makes the request, and its client responds: webhooks and callbacks. */
    private readonly isTurned = false,
  ) {}

  /** The same for requests that go the other way. */
  turned(): OperationComparison {
    return new OperationComparison(this.schemas, this.schemes, this.today, !this.isTurned)
  }

  compare(before: Operation, after: Operation): readonly Found[] {
    const found = this.#compare(before, after)
    return this.isTurned ? found.map(one => ({ ...one, way: otherWay(one.way) })) : found
  }

  #compare(before: Operation, after: Operation): readonly Found[] {
    return [
      ...compareSunsets(before, after).map(found => at('', found)),
      ...compareIds(before, after),
      ...this.#compareParameters(before, after),
      ...this.#compareBodies(before, after),
      ...this.#compareResponses(before, after),
      ...(this.isTurned
        ? []
        : compareSecurity(before.security, after.security, this.schemes).map(found =>
            at('security', found),
          )),
    ]
  }

  #compareSchemas(where: string, before: Raw, after: Raw, way: Way): readonly Found[] {
    const real = this.isTurned ? otherWay(way) : way
    return this.schemas.compare(before, after, real).map(found => ({ change: found, where, way }))
  }

  #compareParameters(before: Operation, after: Operation): readonly Found[] {
    const found: Found[] = []
    for (const [key, old] of before.parameters) {
      const now = after.parameters.get(key)
      if (now) found.push(...this.#compareParameter(old, now))
      else found.push(at(whereOf(old), goneParameter(old, after, this.today)))
    }
    for (const [key, now] of after.parameters) {
      if (before.parameters.has(key) || isNamed(before, now)) continue
      found.push(
        at(
          whereOf(now),
          now.required
            ? change('required-parameter-added', 'is new, and required')
            : change('parameter-added', 'is new'),
        ),
      )
    }
    return found
  }

  #compareParameter(old: Parameter, now: Parameter): readonly Found[] {
    const where = whereOf(now)
    const found: Change[] = [...compareSunsets(old, now)]
    if (old.in === 'path' && old.name !== now.name)
      found.push(change('parameter-renamed', `was called "${old.name}"; typed clients name it`))
    if (old.required !== now.required) {
      found.push(
        now.required
          ? change('parameter-became-required', 'is required now')
          : change('parameter-became-optional', 'is optional now'),
      )
    }
    if (
      old.serialization !== now.serialization &&
      !(old.plain === now.plain && this.schemas.arePlain(old.schema, now.schema))
    ) {
      found.push(
        change(
          'parameter-serialization-changed',
          `was written as ${old.serialization} and is as ${now.serialization}`,
        ),
      )
    }
    const isText = old.isText && now.isText && !this.isTurned
    const schemas = isText
      ? this.schemas.compareText(old.schema, now.schema, now.isRepeated).map(one => at(where, one))
      : this.#compareSchemas(where, old.schema, now.schema, 'request')
    const isSent = (one: Found) => withoutDefault([one.change], old.required).length > 0
    return [...found.map(one => at(where, one)), ...schemas.filter(isSent)]
  }

  #compareBodies({ body: old }: Operation, { body: now }: Operation): readonly Found[] {
    const where = 'request body'
    if (!old && !now) return []
    if (!now) return [at(where, change('body-removed', 'is no longer read'))]
    if (!old)
      return [
        at(
          where,
          now.required
            ? change('required-body-added', 'is new, and required')
            : change('body-added', 'is new'),
        ),
      ]
    const becomes = now.required
      ? change('body-became-required', 'is required now')
      : change('body-became-optional', 'is optional now')
    return [
      ...(old.required === now.required ? [] : [at(where, becomes)]),
      ...this.#compareContents(where, old.content, now.content, 'request'),
    ]
  }

  #compareContents(where: string, before: Content, after: Content, way: Way): readonly Found[] {
    const found: Found[] = []
    for (const [type, old] of before) {
      const [name, now] =
        [...after].find(([other]) => other === type) ??
        [...after].find(([range]) => isInRange(range, type)) ??
        []
      if (name === undefined || !now) {
        found.push(at(`${where} ${type}`, change('media-type-removed', 'this media type is gone')))
        continue
      }
      if (canonical(old.encoding) !== canonical(now.encoding)) {
        found.push(
          at(
            `${where} ${type}`,
            change('encoding-changed', 'the encoding of its parts has changed'),
            way,
          ),
        )
      }
      found.push(...this.#compareSchemas(`${where} ${type}`, old.schema, now.schema, way))
    }
    const added = [...after.keys()].filter(type => !before.has(type))
    return [
      ...found,
      ...added.map(type =>
        at(`${where} ${type}`, change('media-type-added', 'this media type is new')),
      ),
    ]
  }

  #compareResponses(
    { responses: before }: Operation,
    { responses: after }: Operation,
  ): readonly Found[] {
    const found: Found[] = []
    for (const [status, old] of before) {
      const now = after.get(status) ?? after.get(`${status[0]}XX`)
      const where = `response ${status}`
      if (!now) {
        found.push(
          at(
            where,
            change(
              isSuccess(status) ? 'success-status-removed' : 'status-removed',
              'this status is gone',
            ),
            'response',
          ),
        )
        continue
      }
      found.push(...this.#compareHeaders(where, old.headers, now.headers))
      found.push(...this.#compareContents(where, old.content, now.content, 'response'))
    }
    for (const status of [...after.keys()].filter(added => !before.has(added))) {
      const rule: RuleId =
        isSuccess(status) && !before.has(`${status[0]}XX`) ? 'success-status-added' : 'status-added'
      found.push(at(`response ${status}`, change(rule, 'this status is new'), 'response'))
    }
    return found
  }

  #compareHeaders(
    where: string,
    before: ReadonlyMap<string, Header>,
    after: ReadonlyMap<string, Header>,
  ): readonly Found[] {
    const found: Found[] = []
    for (const [key, old] of before) {
      const now = after.get(key)
      const place = `${where} header ${old.name}`
      if (!now) {
        const rule: RuleId = old.required ? 'required-header-removed' : 'header-removed'
        found.push(
          at(
            place,
            change(rule, old.required ? 'was always there and is gone' : 'is gone'),
            'response',
          ),
        )
        continue
      }
      if (old.required !== now.required) {
        const becomes = now.required
          ? change('header-became-required', 'is always there now')
          : change('header-became-optional', 'may be absent now')
        found.push(at(place, becomes, 'response'))
      }
      found.push(...this.#compareSchemas(place, old.schema, now.schema, 'response'))
    }
    const added = [...after].filter(([key]) => !before.has(key))
    return [
      ...found,
      ...added.map(([, { name }]) =>
        at(`${where} header ${name}`, change('header-added', 'is new'), 'response'),
      ),
    ]
  }
}

export function at(where: string, found: Change, way: Way = 'request'): Found {
  return { change: found, where, way }
}

function whereOf({ in: place, name }: Parameter): string {
  return `${place} parameter "${name}"`
}

/** Whether the other document has a parameter of this name elsewhere. */
function isNamed({ parameters }: Operation, { name, in: place }: Parameter): boolean {
  return [...parameters.values()].some(other => other.name === name && other.in !== place)
}

function goneParameter(old: Parameter, after: Operation, today: number): Change {
  if (isOver(old, today))
    return change('parameter-removed-after-sunset', 'is gone, as x-sunset announced')
  const moved = [...after.parameters.values()].find(
    ({ name, in: place }) => name === old.name && place !== old.in,
  )
  return moved
    ? change('parameter-moved', `is in the ${moved.in} now`)
    : change('parameter-removed', 'is no longer read')
}

function isSuccess(status: string): boolean {
  return status.startsWith('2')
}

function compareIds(
  { operationId: before }: Operation,
  { operationId: after }: Operation,
): readonly Found[] {
  if (before === undefined || before === after) return []
  return [
    at(
      '',
      change(
        'operation-id-changed',
        `was called "${before}" and is called ${after === undefined ? 'nothing' : `"${after}"`}`,
      ),
    ),
  ]
}
