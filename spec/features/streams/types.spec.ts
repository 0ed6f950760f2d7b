import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  type Context,
  event,
  events,
  int,
  lines,
  MethodView,
  operation,
  type PathsOf,
  response,
  type StreamOf,
  struct,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'

const Job = struct({ id: int, due: t.string }, 'Job')
const JobRef = struct({ id: int }, 'JobRef')
interface JobValue {
  id: number
  due: string
}
declare const job: JobValue

class Changes extends MethodView {
  static get = operation(events({ job: Job, removed: JobRef }, { id: int }))
  async *get(
    _ctx: Context,
    { lastEventId, signal }: { lastEventId?: number; signal: AbortSignal },
  ) {
    if (lastEventId === 7 && !signal.aborted) yield event('job', job, 7)
    yield event('removed', { id: 1 })
  }
}
class Rows extends MethodView {
  static get = operation(lines(Job))
  async *get() {
    yield job
  }
}

const jobs = new Blueprint('jobs').route('/changes', Changes).route('/rows', Rows)
const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(jobs)
type Paths = PathsOf<typeof api>
type ContentOf<Path extends keyof Paths> = Paths[Path] extends {
  get: { responses: { 200: { content: infer Content } } }
}
  ? Content
  : never

describe('the types of streams', () => {
  it('say the items in PathsOf', () => {
    expectTypeOf<ContentOf<'/changes'>>().toEqualTypeOf<{
      'text/event-stream': StreamOf<
        | { event: 'job'; data: { id: number; due: string }; id?: string }
        | { event: 'removed'; data: { id: number }; id?: string }
      >
    }>()
    expectTypeOf<ContentOf<'/rows'>>().toEqualTypeOf<{
      'application/jsonl': StreamOf<{ id: number; due: string }>
    }>()
    expectTypeOf<StreamOf<number>>().toExtend<string>()
    expect(Object.keys(api.spec.toJSON().paths ?? {})).toEqual(['/changes', '/rows'])
  })

  it('refuse items that are not declared', () => {
    const wrong = new Blueprint('wrong')
    // @ts-expect-error: there is no event "x"
    wrong.get('/a', operation(events({ job: Job })), async function* () {
      yield event('x', job)
    })
    // @ts-expect-error: it has no ids
    wrong.get('/b', operation(events({ job: Job })), () => [event('job', { id: 'x' })])
    // @ts-expect-error: not a stream
    wrong.get('/c', operation(lines(Job)), () => 'text')
    // @ts-expect-error: not a job
    wrong.get('/d', operation(lines(Job)), async function* () {
      yield { id: 'x' }
    })
    // @ts-expect-error: a list is not streamed
    wrong.get('/e', operation(response(t.array(Job))), async function* () {
      yield job
    })
    wrong.get('/f', operation(events(Job)), () => [job])
    wrong.get('/g', operation(events(Job, { id: t.string })), () => [{ data: job, id: 'x' }])
    expect(wrong.declarations).toHaveLength(7)
  })
})
