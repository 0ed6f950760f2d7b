// Every way in which OpenAPI 3.0 writes lists and objects as text. The library reads lists and deep
// objects itself; the other ways are codecs of strings, whose schema says what they hold.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  cookies,
  describe,
  doc,
  form,
  headers,
  list,
  operation,
  optional,
  path,
  query,
  response,
  struct,
} from 'koa-smorest'

type Strings<Name extends string> = { readonly [Each in Name]?: string }

const strings = { type: 'array', items: { type: 'string' } } as const

/** The schema of an object of strings. */
const objectOf = (names: readonly string[]) =>
  ({
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' as const }])),
  }) as const

/** A codec of what `read` returns for a string; undefined does not fit. */
function read<A>(
  schema: typeof strings | ReturnType<typeof objectOf>,
  from: (text: string) => A | undefined,
) {
  const codec = new t.Type<A, A, unknown>(
    schema.type,
    (value): value is A => typeof value === 'object',
    (input, context) => {
      const value = typeof input === 'string' ? from(input) : undefined
      return value === undefined ? t.failure(input, context, 'Not in its style.') : t.success(value)
    },
    t.identity,
  )
  return describe(codec, { schema })
}

/** `a|b` for the separator `|`; with a prefix, `;array=a,b`. */
function listBy(separator: string, prefix = '') {
  return read(strings, text =>
    text.startsWith(prefix) ? text.slice(prefix.length).split(separator) : undefined,
  )
}

/**
 * `name,Rex,description,big` for the separator `,` and these names; with an equals sign,
 * `name=Rex,…`.
 */
function objectWith<Name extends string>(...known: readonly Name[]) {
  return (separator: string, equals = separator, prefix = '') =>
    read<Strings<Name>>(objectOf(known), text => {
      if (!text.startsWith(prefix)) return undefined
      const parts = text.slice(prefix.length).split(separator)
      const words = equals === separator ? parts : parts.flatMap(part => part.split(equals))
      const names = words.filter((_, index) => index % 2 === 0)
      const values = words.filter((_, index) => index % 2 === 1)
      return names.length === values.length && names.every(name => known.includes(name as Name))
        ? (Object.fromEntries(
            names.map((name, index) => [name, values[index] ?? '']),
          ) as Strings<Name>)
        : undefined
    })
}
const objectBy = objectWith('name', 'description')
const fooBy = objectWith('foo', 'bar')

/** `;primitive=a` of the style `matrix`, `.a` of `label`. */
const after = (prefix: string) =>
  describe(
    new t.Type<string, string, unknown>(
      'prefixed',
      t.string.is,
      (input, context) =>
        typeof input === 'string' && input.startsWith(prefix)
          ? t.success(input.slice(prefix.length))
          : t.failure(input, context, 'Not in its style.'),
      t.identity,
    ),
    { schema: { type: 'string' } },
  )

const Fields = struct({ name: optional(t.string), description: optional(t.string) })
const simple = { primitive: optional(t.string), array: optional(list(t.string)) }
const Simple = struct({ ...simple, object: optional(objectBy(',')) })
const Exploded = struct({ ...simple, object: optional(objectBy(',', '=')) })

/** The style of parameters, which a schema does not say. */
function styled(
  location: 'cookie' | 'header' | 'path' | 'query',
  style: string,
  explode: boolean,
  ...names: string[]
) {
  return doc({ parameters: names.map(name => ({ name, in: location, style, explode })) } as never)
}

/** Serves the operations; `received` gets what each request has sent. */
export function parametersStyle(received: (given: unknown) => void) {
  const done = response({ content: false })
  const take = (_ctx: unknown, given: unknown) => received(given)

  const inPath = (
    primitive: t.Type<string, string>,
    array: ReturnType<typeof listBy>,
    object: ReturnType<typeof objectBy>,
  ) => path(struct({ primitive, array, object }))
  const rule = ':primitive/:array/:object'
  const Listed = inPath(after(''), listBy(','), objectBy(','))

  const exploded = { primitive: optional(t.string), array: optional(t.array(t.string)) }
  // an exploded object has no name of its own: its fields are parameters
  const Query = struct({ ...exploded, ...Fields.props })
  const delimited = (style: string, separator: string) =>
    operation(
      query(struct({ array: optional(listBy(separator)), object: optional(objectBy(separator)) })),
      styled('query', style, false, 'array', 'object'),
      done,
    )

  const multipart = { contentType: 'multipart/form-data', required: false } as const
  const foo = { foo: optional(t.string), bar: optional(t.string) }
  const asObject = (separator: string) => optional(fooBy(separator))
  const forms = '/anything/form-data'
  const delimitedForm = (separator: string) =>
    operation(
      form(struct({ array: optional(listBy(separator)), object: asObject(separator) }), multipart),
      done,
    )
  const all = new Blueprint('parameters')
    .get('/cookies', operation(cookies(Simple), done), take)
    .get('/anything/headers', operation(headers(Simple), done), take)
    .get('/anything/headers/simple', operation(headers(Simple), done), take)
    .post(
      '/anything/headers/simple',
      operation(
        headers(Exploded),
        styled('header', 'simple', true, 'primitive', 'array', 'object'),
        done,
      ),
      take,
    )
    .get(`/anything/path/${rule}`, operation(Listed, done), take)
    .get(`/anything/path/simple/${rule}`, operation(Listed, done), take)
    .post(
      `/anything/path/simple/${rule}`,
      operation(
        inPath(after(''), listBy(','), objectBy(',', '=')),
        styled('path', 'simple', true, 'primitive', 'array', 'object'),
        done,
      ),
      take,
    )
    .get(
      `/anything/path/matrix/${rule}`,
      operation(
        inPath(after(';primitive='), listBy(',', ';array='), objectBy(',', ',', ';object=')),
        styled('path', 'matrix', false, 'primitive', 'array', 'object'),
        done,
      ),
      take,
    )
    .post(
      `/anything/path/matrix/${rule}`,
      operation(
        inPath(after(';primitive='), listBy(';array=', ';array='), objectBy(';', '=', ';')),
        styled('path', 'matrix', true, 'primitive', 'array', 'object'),
        done,
      ),
      take,
    )
    .get(
      `/anything/path/label/${rule}`,
      operation(
        inPath(after('.'), listBy('.', '.'), objectBy('.', '.', '.')),
        styled('path', 'label', false, 'primitive', 'array', 'object'),
        done,
      ),
      take,
    )
    .post(
      `/anything/path/label/${rule}`,
      operation(
        inPath(after('.'), listBy('.', '.'), objectBy('.', '=', '.')),
        styled('path', 'label', true, 'primitive', 'array', 'object'),
        done,
      ),
      take,
    )
    .get('/anything/query', operation(query(Query), done), take)
    .post('/anything/query/form', operation(query(Query), done), take)
    .get(
      '/anything/query/form',
      operation(query(Simple), styled('query', 'form', false, 'primitive', 'object'), done),
      take,
    )
    .get('/anything/query/spaceDelimited', delimited('spaceDelimited', ' '), take)
    .get('/anything/query/pipeDelimited', delimited('pipeDelimited', '|'), take)
    .get(
      '/anything/query/deepObject',
      operation(query(struct({ object: optional(Fields) }), { style: 'deepObject' }), done),
      take,
    )
    .post(
      forms,
      operation(
        // an object without a style is a part of JSON
        form(struct({ ...exploded, object: optional(struct(foo)) }), multipart),
        done,
      ),
      take,
    )
    .post(
      `${forms}/form`,
      operation(form(struct({ ...simple, object: asObject(',') }), multipart), done),
      take,
    )
    .put(`${forms}/form`, operation(form(struct({ ...exploded, ...foo }), multipart), done), take)
    .post(`${forms}/spaceDelimited`, delimitedForm(' '), take)
    .post(`${forms}/pipeDelimited`, delimitedForm('|'), take)
    .post(
      `${forms}/deepObject`,
      operation(
        form(struct({ ...exploded, object: optional(struct(foo)) }), {
          ...multipart,
          style: 'deepObject',
        }),
        done,
      ),
      take,
    )
  return new Api(new Koa(), {
    OPENAPI_VERSION: '3.0.3',
    OPENAPI_URL_PREFIX: '/',
  }).registerBlueprint(all)
}
