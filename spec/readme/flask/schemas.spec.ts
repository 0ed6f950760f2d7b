import * as t from 'io-ts'
import {
  Blueprint,
  bool,
  decimal,
  describe as described,
  duration,
  email,
  enumeration,
  files,
  float,
  int,
  isoDate,
  isoDateTime,
  json,
  list,
  localDateTime,
  localTime,
  maxItems,
  maximum,
  maxLength,
  message,
  minItems,
  minimum,
  minLength,
  nullable,
  omit,
  operation,
  optional,
  partial,
  pattern,
  pick,
  readOnly,
  refine,
  response,
  struct,
  Upload,
  uniqueItems,
  uuid,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'
import { expect, it } from 'vitest'
import { readFrom, rowsBehind, sentBack, served } from './served.js'

const wrong = { errors: expect.anything() }
const Person = struct(
  { name: t.string, address: struct({ street: t.string, city: t.string }), age: int },
  'Person',
)
const whole = { name: 'Ann', address: { street: 'A', city: 'B' }, age: 3 }

/** Each row of the table, carried out. */
const ROWS: { readonly [row: string]: () => Promise<void> } = {
  async '`/<int:pet_id>`, `/<uuid:id>`, `/<path:rest>`, `/<any(a,b):x>`'() {
    const blueprint = new Blueprint('rules')
    const echo = operation(response(t.unknown))
    blueprint.get('/int/:petId<int>', echo, (_ctx, parameters) => parameters)
    blueprint.get('/uuid/:id<uuid>', echo, (_ctx, parameters) => parameters)
    blueprint.get('/path/:rest<path>', echo, (_ctx, parameters) => parameters)
    blueprint.get('/any/:x<any(a, b)>', echo, (_ctx, parameters) => parameters)
    const { send } = served(blueprint)
    const id = '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d'
    expect((await send('GET /int/7')).body).toEqual({ petId: 7 })
    expect((await send('GET /int/x')).status).toBe(404)
    expect((await send(`GET /uuid/${id}`)).body).toEqual({ id })
    expect((await send('GET /path/a/b')).body).toEqual({ rest: 'a/b' })
    expect((await send('GET /any/b')).body).toEqual({ x: 'b' })
    expect((await send('GET /any/c')).status).toBe(404)
  },
  async '`fields.Int()`, `Float`, `Bool`, `UUID`, `Decimal(as_string=True)`, `Email`'() {
    expect(await sentBack(int, 1, 1.5, '1')).toEqual([1, wrong, wrong])
    expect(await sentBack(float, 1.5, '1')).toEqual([1.5, wrong])
    expect(await sentBack(bool, true, 'yes')).toEqual([true, wrong])
    expect(await sentBack(uuid, '2C5EA4C0-4067-11e9-8bad-9b1deb4d3b7d', 'x')).toEqual([
      '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
      wrong,
    ])
    expect(await sentBack(decimal, '19.90', 19.9)).toEqual(['19.90', wrong])
    expect(await sentBack(email, 'ann@example.com', 'ann')).toEqual(['ann@example.com', wrong])
  },
  async '`fields.Date()`'() {
    expect(await sentBack(isoDate, '2020-02-29', '2021-02-29')).toEqual(['2020-02-29', wrong])
    const inYear = refine(isoDate.asDate, date =>
      date.getUTCFullYear() === 2020 ? undefined : 'Another year.',
    )
    expect(await sentBack(inYear, '2020-02-29', '2021-01-01')).toEqual([
      '2020-02-29',
      { errors: ['Another year.'] },
    ])
  },
  async "`fields.DateTime()`, `NaiveDateTime()`: no offset is marshmallow's default"() {
    expect(await sentBack(localDateTime, '2020-02-29T12:30:00', '2020-02-29T12:30:00Z')).toEqual([
      '2020-02-29T12:30:00',
      wrong,
    ])
  },
  async '`fields.AwareDateTime()`'() {
    expect(await sentBack(isoDateTime, '2020-02-29T12:30:00+01:00', '2020-02-29T12:30:00')).toEqual(
      ['2020-02-29T12:30:00+01:00', wrong],
    )
    expect(await sentBack(isoDateTime.asDate, '2020-02-29T12:30:00+01:00')).toEqual([
      '2020-02-29T11:30:00.000Z',
    ])
  },
  async '`fields.Time()`'() {
    expect(await sentBack(localTime, '12:30:00', '24:00:00')).toEqual(['12:30:00', wrong])
  },
  async '`fields.TimeDelta()`: a number of seconds'() {
    expect(await sentBack(int, 90)).toEqual([90])
    expect(await sentBack(duration, 'PT90S', '90')).toEqual(['PT90S', wrong])
  },
  async '`fields.Enum(E)`: by name'() {
    expect(await sentBack(t.keyof({ RED: null, BLUE: null }), 'RED', 'red')).toEqual(['RED', wrong])
  },
  async '`fields.Enum(E, by_value=True)`'() {
    enum E {
      RED = 'red',
      BLUE = 'blue',
    }
    expect(await sentBack(enumeration(E, 'E'), 'red', 'RED')).toEqual([
      'red',
      { errors: ['Must be one of: red, blue.'] },
    ])
  },
  async '`fields.Url()`, `IP()`, `IPv4()`'() {
    const isLink = (text: string) => URL.canParse(text) && new URL(text).protocol === 'https:'
    const Link = described(
      refine(maxLength(t.string, 2000), text =>
        isLink(text) ? undefined : 'Not an https address.',
      ),
      { format: 'uri' },
    )
    expect(await sentBack(Link, 'https://example.com', 'ftp://example.com')).toEqual([
      'https://example.com',
      { errors: ['Not an https address.'] },
    ])
  },
  async '`fields.Dict(keys=…, values=…)`, `Mapping`'() {
    expect(await sentBack(t.record(t.string, int), { a: 1 }, { a: 'x' })).toEqual([{ a: 1 }, wrong])
    expect(
      await sentBack(t.record(t.keyof({ a: null, b: null }), int), { a: 1, b: 2 }, { a: 1 }),
    ).toEqual([{ a: 1, b: 2 }, wrong])
    expect(await sentBack(t.partial({ a: int, b: int }), { a: 1 })).toEqual([{ a: 1 }])
  },
  async '`fields.Raw()`, `Tuple((…))`, `Constant(…)`'() {
    expect(await sentBack(t.unknown, { a: [1] })).toEqual([{ a: [1] }])
    expect(await sentBack(t.tuple([t.string, int]), ['a', 1], ['a'])).toEqual([['a', 1], wrong])
    expect(await sentBack(t.literal('a'), 'a', 'b')).toEqual(['a', wrong])
  },
  async '`fields.Str(validate=Length(min=1, max=9))`, `Range`, `Regexp`, `OneOf`'() {
    expect(await sentBack(maxLength(minLength(t.string, 1), 9), 'a', '', '0123456789')).toEqual([
      'a',
      wrong,
      wrong,
    ])
    expect(await sentBack(maximum(minimum(int, 1), 9), 5, 0, 10)).toEqual([5, wrong, wrong])
    expect(await sentBack(pattern(t.string, /^a+$/), 'aa', 'b')).toEqual(['aa', wrong])
    expect(await sentBack(t.keyof({ a: null, b: null }), 'a', 'c')).toEqual(['a', wrong])
  },
  async '`List(…, validate=Length(…))`, `ContainsOnly`, `NoneOf`, `Predicate`'() {
    const Tags = uniqueItems(
      maxItems(minItems(t.array(t.keyof({ a: null, b: null, c: null })), 1), 2),
    )
    expect(await sentBack(Tags, ['a'], [], ['a', 'b', 'c'], ['a', 'a'], ['d'])).toEqual([
      ['a'],
      wrong,
      wrong,
      wrong,
      wrong,
    ])
    const NotRoot = refine(t.string, name => (name === 'root' ? 'Not this one.' : undefined))
    expect(await sentBack(NotRoot, 'ann', 'root')).toEqual(['ann', { errors: ['Not this one.'] }])
  },
  async '`required=True`'() {
    expect(await sentBack(struct({ a: int, b: optional(int) }), { a: 1 }, { b: 1 })).toEqual([
      { a: 1 },
      { errors: { a: ['Missing data for required field.'] } },
    ])
  },
  async '`missing=…` / `load_default=…`'() {
    expect(await sentBack(struct({ a: withDefault(int, 7) }), {})).toEqual([{ a: 7 }])
  },
  async '`dump_default=…`'() {
    const blueprint = new Blueprint('rows')
    blueprint.get(
      '/',
      operation(
        response(
          struct({ a: withDefault(int, 7), tags: withDefault(t.array(t.string), () => []) }),
        ),
      ),
      () => ({}) as never,
    )
    expect((await served(blueprint).send('GET /')).body).toEqual({ a: 7, tags: [] })
  },
  async '`allow_none=True`'() {
    expect(await sentBack(nullable(int), null, 1)).toEqual([null, 1])
  },
  async '`dump_only=True`, `load_only=True`'() {
    const User = struct(
      { id: readOnly(int), name: t.string, password: writeOnly(t.string) },
      'User',
    )
    const blueprint = new Blueprint('users')
    blueprint.post('/', operation(json(User), response(User)), (_ctx, { name }) => ({
      id: 1,
      name,
    }))
    const { send } = served(blueprint)
    expect((await send('POST /', { name: 'Ann', password: 'x' })).body).toEqual({
      id: 1,
      name: 'Ann',
    })
    expect((await send('POST /', { id: 1, name: 'Ann', password: 'x' })).body).toMatchObject({
      errors: { json: { id: ['Read-only field.'] } },
    })
  },
  async "`data_key='X-Token'`"() {
    expect(
      await sentBack(
        struct({ token: wireName('X-Token', t.string) }),
        { 'X-Token': 'a' },
        { token: 'a' },
      ),
    ).toEqual([{ 'X-Token': 'a' }, wrong])
  },
  async '`DelimitedList(Int())`'() {
    expect(await readFrom(list(int), 'value=1,2')).toEqual([1, 2])
  },
  async '`Nested(Schema)`, `List(…)`'() {
    expect(
      await sentBack(t.array(struct({ person: Person })), [{ person: whole }], [{ person: 1 }]),
    ).toEqual([[{ person: whole }], wrong])
  },
  async '`Nested(Schema, only=(…))`, `exclude=(…)`'() {
    expect(await sentBack(pick(Person, ['name']), { name: 'Ann' }, whole)).toEqual([
      { name: 'Ann' },
      wrong,
    ])
    expect(await sentBack(omit(Person, ['address']), { name: 'Ann', age: 3 })).toEqual([
      { name: 'Ann', age: 3 },
    ])
  },
  async '`Nested(lambda: Schema())`, of itself'() {
    interface Tree {
      readonly name: string
      readonly children: readonly Tree[]
    }
    const Tree: t.Type<Tree> = t.recursion('Tree', () =>
      struct({ name: t.string, children: t.readonlyArray(Tree) }),
    )
    const tree = { name: 'a', children: [{ name: 'b', children: [] }] }
    expect(
      await sentBack(Tree, tree, { name: 'a', children: [{ name: 1, children: [] }] }),
    ).toEqual([tree, { errors: { children: { 0: { name: ['Not a string.'] } } } }])
  },
  async '`Method(…)`, `Function(…)`'() {
    const Shown = struct({ ...Person.props, initial: readOnly(t.string) }, 'Shown')
    const blueprint = new Blueprint('people').get('/', operation(response(Shown)), () => ({
      ...whole,
      initial: whole.name.charAt(0),
    }))
    expect((await served(blueprint).send('GET /')).body).toEqual({ ...whole, initial: 'A' })
  },
  async "`Pluck(Schema, 'name')`"() {
    const blueprint = new Blueprint('names')
    blueprint.get('/', operation(response(t.array(Person.props.name))), () =>
      [whole].map(({ name }) => name),
    )
    expect((await served(blueprint).send('GET /')).body).toEqual(['Ann'])
  },
  async 'inheritance of schemas'() {
    const Child = struct({ ...Person.props, school: t.string }, 'Child')
    expect(await sentBack(Child, { ...whole, school: 'S' }, whole)).toEqual([
      { ...whole, school: 'S' },
      wrong,
    ])
  },
  async '`Meta.unknown` of a nested schema'() {
    const Free = struct({ person: t.intersection([struct({ name: t.string }), t.UnknownRecord]) })
    expect(
      await sentBack(
        Free,
        { person: { name: 'Ann', more: 1 } },
        { person: { name: 'Ann' }, more: 1 },
      ),
    ).toEqual([{ person: { name: 'Ann', more: 1 } }, { errors: { more: ['Unknown field.'] } }])
  },
  async '`Schema(partial=True)`'() {
    expect(await sentBack(partial(Person, { deep: true }), { address: { city: 'Cork' } })).toEqual([
      { address: { city: 'Cork' } },
    ])
    expect(await sentBack(partial(Person), { age: 4 }, { address: { city: 'Cork' } })).toEqual([
      { age: 4 },
      wrong,
    ])
  },
  async "`@validates_schema`, `ValidationError(text, 'field')`"() {
    const Range = refine(struct({ min: int, max: int }), ({ min, max }) =>
      min <= max ? undefined : { max: ['Below min.'] },
    )
    expect(
      await sentBack(Range, { min: 1, max: 2 }, { min: 2, max: 1 }, { min: 2, max: 'x' }),
    ).toEqual([
      { min: 1, max: 2 },
      { errors: { max: ['Below min.'] } },
      { errors: { max: ['Not a whole number.'] } },
    ])
  },
  async "`error_messages={…}`, `validate=Length(…, error='…')`"() {
    const Named = struct({ name: message(minLength(t.string, 1), 'Say who you are.') })
    expect(await sentBack(Named, { name: '' }, {})).toEqual([
      { errors: { name: ['Say who you are.'] } },
      { errors: { name: ['Missing data for required field.'] } },
    ])
  },
  async 'snake_case names'() {
    const blueprint = new Blueprint('pets')
    const Filter = struct({ ownerId: wireName('owner_id', int), pet_name: t.string })
    blueprint.post(
      '/:pet_id<int>',
      operation(json(Filter), response(t.unknown)),
      (_ctx, { ownerId, pet_name }, { pet_id }) => ({
        ownerId,
        pet_name,
        pet_id,
      }),
    )
    const { body } = await served(blueprint).send('POST /7', { owner_id: 1, pet_name: 'Rex' })
    expect(body).toEqual({ ownerId: 1, pet_name: 'Rex', pet_id: 7 })
  },
  async '`Upload()`'() {
    const blueprint = new Blueprint('uploads')
    const Pictures = struct({ one: Upload, more: optional(t.array(Upload)) })
    blueprint.post(
      '/',
      operation(files(Pictures), response(t.array(t.string))),
      (_ctx, { one, more = [] }) => [one, ...more].map(({ filename }) => filename),
    )
    const parts = ['one', 'more', 'more'].map(
      (name, index) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${index}.txt"\r\n\r\nhi\r\n`,
    )
    const { body } = await served(blueprint).send('POST /', `${parts.join('')}--x--\r\n`, {
      'Content-Type': 'multipart/form-data; boundary=x',
    })
    expect(body).toEqual(['0.txt', '1.txt', '2.txt'])
  },
  async "`metadata={'description': …}`"() {
    const blueprint = new Blueprint('texts')
    blueprint.get(
      '/',
      operation(response(struct({ a: described(int, { description: 'How many' }) }))),
      () => ({ a: 1 }),
    )
    expect(JSON.stringify(served(blueprint).api.spec.toJSON())).toContain(
      '"description":"How many"',
    )
  },
}

it.each(Object.keys(ROWS))(
  'schemas of flask-smorest have a counterpart that does what the manual says: %s',
  async row => {
    await ROWS[row]?.()
  },
)

it('every row of the table of schemas is tried', () => {
  expect(rowsBehind('### Rules and schemas')).toEqual(Object.keys(ROWS))
})
