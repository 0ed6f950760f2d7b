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

export const convertBlueprint = new Blueprint('convert', { urlPrefix: '/convert', description: '' })
  .get('/string/:value', convert, (_, { value }) => ({ value }))
  .get('/string-len/:value<string(length=2)>', convert, (_, { value }) => ({ value }))
  .get('/string-range/:value<string(minlength=2,maxlength=4)>', convert, (_, { value }) => ({
    value,
  }))
  .get('/int/:value<int>', convert, (_, { value }) => ({ value }))
  .get('/int-range/:value<int(min=5,max=10)>', convert, (_, { value }) => ({ value }))
  .get('/int-signed/:value<int(signed=true)>', convert, (_, { value }) => ({ value }))
  .get('/float/:value<float>', convert, (_, { value }) => ({ value }))
  .get('/uuid/:value<uuid>', convert, (_, { value }) => ({ value }))
  .get('/any/:value<any(red,green,blue)>', convert, (_, { value }) => ({ value }))
  .get('/path/:value<path>', convert, (_, { value }) => ({ value }))
  .get('/hex/:value<hex>', convert, (_, { value }) => ({ value }))
  .get('/two/:first<int>/and/:second', convert, (_, { first, second }) => ({ first, second }))
  .get('/specific/:name', convert, (_, { name }) => ({ dynamic: name }))
  .get('/specific/fixed', convert, () => ({ fixed: true }))
