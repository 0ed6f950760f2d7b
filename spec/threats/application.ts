import { PassThrough } from 'node:stream'
import * as t from 'io-ts'
import {
  abort,
  Blueprint,
  bool,
  type Context,
  cookies,
  doc,
  etag,
  files,
  form,
  headers,
  int,
  isoDate,
  isoDateTime,
  json,
  list,
  maxLength,
  nullable,
  operation,
  optional,
  Page,
  paginate,
  pattern,
  query,
  readOnly,
  reply,
  response,
  struct,
  Upload,
  uuid,
} from 'koa-smorest'

// One operation for each thing that somebody may try. What reads a request answers what its method
// was given.

/** How often a method was run: a refused request must not get that far. */
export const calls = { count: 0 }

/**
 * A method that answers its argument. It has no name, so each operation is named after its path.
 */
function echo<Value>(): (ctx: Context, value: Value) => Value {
  return (_ctx, value) => {
    calls.count += 1
    return value
  }
}

/** Nobody outside may see it. */
export const CANARY = 'canary-secret'

const Closed = t.strict({ name: t.string }, 'Closed')
const Person = struct({ id: readOnly(int), name: maxLength(t.string, 20) }, 'Person')
const Inherited = t.type(
  { constructor: t.string, hasOwnProperty: t.number, toString: t.string, length: t.number },
  'Inherited',
)
/** What a body may be made of. */
export const Shapes = struct(
  {
    items: optional(t.array(t.strict({ a: t.number }))),
    either: optional(
      t.union([
        t.strict({ kind: t.literal('a'), a: t.number }),
        t.strict({ kind: t.literal('b'), b: t.string }),
      ]),
    ),
    both: optional(t.intersection([t.type({ a: t.number }), t.strict({ b: t.number })])),
    numbers: optional(t.array(t.number)),
    whole: optional(int),
    number: optional(t.number),
  },
  'Shapes',
)
interface Tree {
  readonly next: Tree | null
}
const Tree: t.Type<Tree> = t.recursion('Tree', self => t.strict({ next: t.union([self, t.null]) }))
const Search = struct({
  n: optional(int),
  flag: optional(bool),
  day: optional(isoDate),
  at: optional(isoDateTime),
  id: optional(uuid),
  ids: optional(list(int)),
  text: optional(t.string),
})

/**
 * Texts that a regular expression of exponential time would be asked about, were they not too long.
 */
const Backtracking = pattern(maxLength(t.string, 20), /^(a+)+$/)

export const requests = new Blueprint('requests')
  .post('/closed', operation(json(Closed), response(Closed)), echo())
  .post('/excluded', operation(json(Shapes, { unknown: 'exclude' })), echo())
  .post('/open', operation(json(t.UnknownRecord)), echo())
  .post('/anything', operation(json(t.unknown)), echo())
  .post('/person', operation(json(Person)), echo())
  .post('/inherited', operation(json(Inherited)), echo())
  .post('/shapes', operation(json(Shapes)), echo())
  .post('/tree', operation(json(Tree)), (_ctx, tree) => ({ depth: depthOf(tree) }))
  .post('/small', operation(json(Closed, { limits: { json: 100 } })), echo())
  .post('/pattern', operation(json(t.strict({ text: Backtracking }))), echo())
  .post('/vendor', operation(json(Closed, { contentType: 'application/vnd.own' })), echo())
  .post('/merge', operation(json(t.UnknownRecord)), (_ctx, value) => Object.assign({}, value))
  .get('/search', operation(query(Search)), echo())
  .post(
    '/form',
    operation(form(struct({ a: optional(t.string), 'a[b]': optional(t.string) }))),
    echo(),
  )
  .get('/cookies', operation(cookies(struct({ a: optional(t.string) }))), echo())
  .get('/headers', operation(headers(struct({ 'X-A': optional(t.string) }))), echo())
  .get('/text/:text', operation(), (_ctx, { text }) => ({ text }))
  .get('/int/:n<int>', operation(), (_ctx, { n }) => ({ n }))
  .get('/uuid/:id<uuid>', operation(), (_ctx, { id }) => ({ id }))
  .delete('/nothing', operation(response({ code: 204 })), () => undefined)

function depthOf(tree: Tree): number {
  let depth = 0
  for (let level: Tree | null = tree; level !== null; level = level.next) depth += 1
  return depth
}

const Public = t.type(
  { id: t.number, owner: t.type({ name: t.string }), tags: t.array(t.type({ text: t.string })) },
  'Public',
)
const stored = {
  id: 1,
  password: CANARY,
  owner: { name: 'Ann', password: CANARY },
  tags: [{ text: 'x', secret: CANARY }],
  toJSON: () => ({ leaked: CANARY }),
}
const Cat = t.strict({ name: t.string, lives: t.number }, 'Cat')
const Animal = t.strict({ name: t.string }, 'Animal')

/** Values that JSON cannot say. */
export const UNSAYABLE: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  BigInt: 10n,
  date: new Date(Number.NaN),
  function: () => CANARY,
}
const Any = t.strict({ a: t.strict({ b: t.array(t.number) }) }, 'Any')

export const answers = new Blueprint('answers')
  .get('/leak', operation(response(Public)), () => stored)
  .get('/leak/list', operation(response(t.array(Public)), etag(), paginate(Page)), () => [
    stored,
    stored,
  ])
  .get('/misfit', operation(response(Closed)), () => ({ name: { password: CANARY } }) as never)
  .get('/union', operation(response(t.union([Animal, Cat]))), () => ({ name: 'Tom', lives: 9 }))
  .get(
    '/unsayable/:what',
    operation(response(Any)),
    (_ctx, { what }) => ({ a: { b: [UNSAYABLE[what]] } }) as never,
  )
  .get('/unsayable-plain/:what', operation(), (_ctx, { what }) => ({ a: { b: [UNSAYABLE[what]] } }))
  .get('/header', operation(query(t.strict({ value: t.string }))), (_ctx, { value }) =>
    reply({}, { 'X-Value': value }),
  )
  .get('/location', operation(query(t.strict({ value: t.string }))), (_ctx, { value }) =>
    reply({}, { Location: `/x/${encodeURIComponent(value)}` }),
  )
  .get('/refused', operation(query(t.strict({ value: t.string }))), (_ctx, { value }) =>
    abort(409, { message: value, headers: { 'X-Value': value, 'Set-Cookie': ['a=1', 'b=2'] } }),
  )
  .get('/broken-stream', operation(response({ contentType: 'application/octet-stream' })), () => {
    const stream = new PassThrough()
    stream.write('begun')
    setTimeout(() => stream.destroy(new Error(CANARY)), 20)
    return stream
  })
  .get('/slow', operation(), async () => {
    await new Promise(resolve => setTimeout(resolve, 100))
    throw new Error(CANARY)
  })
  .get('/large', operation(response({ contentType: 'application/octet-stream' })), () =>
    largeStream(),
  )

/** 50 MB, made as they are read. */
function largeStream(): ReadableStream {
  let left = 800
  const chunk = new Uint8Array(64 * 1024)
  return new ReadableStream({
    pull(controller) {
      if (left-- === 0) controller.close()
      else controller.enqueue(chunk)
    },
  })
}

export const lists = new Blueprint('lists')
  .get('/pages/:total<int>', operation(response(t.array(int)), paginate(Page)), (_ctx, { total }) =>
    Array.from({ length: total }, (_, n) => n),
  )
  .get('/asked', operation(paginate()), (_ctx, { paginationParameters: parameters }) => {
    parameters.itemCount = 3
    return { first: parameters.firstItem, last: parameters.lastItem, size: parameters.pageSize }
  })

export const uploads = new Blueprint('uploads')
  .post(
    '/upload',
    operation(
      files(struct({ file: Upload })),
      form(struct({ title: optional(t.string) })),
      response(nullable(t.string)),
    ),
    async (_ctx, { file }, { title }) => (await file.text()).slice(0, 10) + (title ?? ''),
  )
  .post('/upload/fails', operation(files(struct({ file: Upload }))), () =>
    Promise.reject(new Error(CANARY)),
  )

export const hidden = new Blueprint('hidden').get(
  '/hidden',
  operation(doc({ hidden: true })),
  () => null,
)

export const BLUEPRINTS = [requests, answers, lists, uploads, hidden] as const
