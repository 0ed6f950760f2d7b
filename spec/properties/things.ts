import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  etag,
  json,
  MethodView,
  operation,
  partial,
  reply,
  response,
  struct,
} from 'koa-smorest'

/** A thing as it is kept: no field is there but these. */
export interface Thing {
  readonly id: number
  readonly name: string
  readonly version: number
}

const Thing = t.strict({ id: t.number, name: t.string, version: t.number }, 'Thing')
const NewThing = struct({ name: t.string }, 'NewThing')
const Changes = partial(NewThing, 'Changes')
type NewThing = t.TypeOf<typeof NewThing>
type Id = { thingId: number }

/**
 * Things in memory under `/things/:thingId`, with versions as tags. PUT creates what is not there.
 * `kept` has one to begin with.
 */
export function things(kept = new Map<number, Thing>([[1, { id: 1, name: 'one', version: 1 }]])) {
  const keep = (thing: Thing) => {
    kept.set(thing.id, thing)
    return thing
  }
  const load = (_: Context, { thingId }: Id) => kept.get(thingId)
  const tag = ({ version }: Thing) => version

  class ThingById extends MethodView {
    static get = operation(etag({ load, tag }), response(Thing))
    get(_: Context, { current }: { current: Thing }) {
      return current
    }

    static put = operation(etag({ load, tag, create: true }), json(NewThing), response(Thing))
    put(_: Context, { name }: NewThing, { thingId, current }: Id & { current: Thing | undefined }) {
      return keep({ id: thingId, name, version: (current?.version ?? 0) + 1 })
    }

    static patch = operation(etag({ load, tag }), json(Changes), response(Thing))
    patch(_: Context, changes: Partial<NewThing>, { current }: { current: Thing }) {
      return reply(keep({ ...current, ...changes, version: current.version + 1 }))
    }

    static delete = operation(etag({ load, tag }), response({ code: 204 }))
    delete(_: Context, { current }: { current: Thing }) {
      kept.delete(current.id)
    }
  }
  return new Blueprint('things').route('/things/:thingId<int>', ThingById)
}
