import { Blueprint, type Converter, operation, response } from 'koa-smorest'

declare module 'koa-smorest' {
  interface Converters {
    hex: number
  }
}

/** Whole numbers in base 16; registered under the name `hex`. */
export const hexConverter: Converter<number> = {
  parse: text => (/^[0-9a-f]+$/.test(text) ? Number.parseInt(text, 16) : undefined),
  schema: { type: 'string', format: 'hex' },
}

const convert = operation(response())
const valueOf = (_: unknown, { value }: { value: unknown }) => ({ value })

export const convertBlueprint = new Blueprint('convert', { urlPrefix: '/convert', description: '' })
  .get('/string/:value', convert, valueOf)
  .get('/string-len/:value<string(length=2)>', convert, valueOf)
  .get('/string-range/:value<string(minlength=2,maxlength=4)>', convert, valueOf)
  .get('/int/:value<int>', convert, valueOf)
  .get('/int-range/:value<int(min=5,max=10)>', convert, valueOf)
  .get('/int-signed/:value<int(signed=true)>', convert, valueOf)
  .get('/float/:value<float>', convert, valueOf)
  .get('/uuid/:value<uuid>', convert, valueOf)
  .get('/any/:value<any(red,green,blue)>', convert, valueOf)
  .get('/path/:value<path>', convert, valueOf)
  .get('/hex/:value<hex>', convert, valueOf)
  .get('/two/:first<int>/and/:second', convert, (_, { first, second }) => ({ first, second }))
  .get('/specific/:name', convert, (_, { name }) => ({ dynamic: name }))
  .get('/specific/fixed', convert, () => ({ fixed: true }))
