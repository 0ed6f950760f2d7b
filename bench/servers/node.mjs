// node:http and nothing else: what the same answers cost where everything is written by hand for
// this one API.
import { hash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { parse } from 'node:querystring'
import { hasUpstream, KINDS, logger, pageHeader, port, problem, resources, store } from './shop.mjs'

const isText = value => typeof value === 'string'
const RULES = {
  name: value => isText(value) && value.length >= 1 && value.length <= 100,
  kind: value => KINDS.includes(value),
  age: value => Number.isInteger(value) && value >= 0 && value <= 100,
  weight: value => typeof value === 'number' && value >= 0,
  vaccinated: value => typeof value === 'boolean',
  born: value =>
    isText(value) && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  tags: value => Array.isArray(value) && value.length <= 10 && value.every(isText),
  owner: value => isText(value?.name) && isText(value.phone),
}
const FIELDS = Object.entries(RULES)
const served = new Set(resources)
const tagOf = text => `"${hash('sha1', text, 'base64')}"`

function send(req, res, status, value, headers) {
  const text = JSON.stringify(value)
  if (status < 300) {
    const tag = tagOf(text)
    headers.ETag = tag
    if (req.method === 'GET' && req.headers['if-none-match'] === tag)
      return res.writeHead(304, headers).end()
  }
  headers['Content-Type'] = 'application/json'
  headers['Content-Length'] = Buffer.byteLength(text)
  res.writeHead(status, headers).end(text)
}

const refuse = (req, res, code, headers, errors) =>
  send(req, res, code, problem(code, errors), headers)

function list(req, res, query, headers) {
  const { kind, page = '1', page_size = '10' } = parse(query)
  const number = Number(page)
  const size = Number(page_size)
  const errors = {}
  if (kind !== undefined && !KINDS.includes(kind)) errors.kind = ['Not a kind.']
  if (!Number.isInteger(number) || number < 1) errors.page = ['Not a page.']
  if (!Number.isInteger(size) || size < 1 || size > 100) errors.page_size = ['Not a page size.']
  for (const _ in errors) return refuse(req, res, 422, headers, { query: errors })
  const found = store.find({ kind })
  headers['X-Pagination'] = pageHeader(found.length, number, size)
  send(req, res, 200, found.slice((number - 1) * size, number * size), headers)
}

function withPet(req, res, headers, use) {
  let text = ''
  req.setEncoding('utf8')
  req.on('data', chunk => {
    text += chunk
  })
  req.on('end', () => {
    let pet
    try {
      pet = JSON.parse(text)
    } catch {
      return refuse(req, res, 400, headers)
    }
    const errors = {}
    for (const [field, holds] of FIELDS) if (!holds(pet?.[field])) errors[field] = ['Not valid.']
    for (const _ in errors) return refuse(req, res, 422, headers, { json: errors })
    use(pet)
  })
}

function replace(req, res, petId, headers) {
  const ifMatch = req.headers['if-match']
  if (!ifMatch) return refuse(req, res, 428, headers)
  withPet(req, res, headers, pet => {
    const current = store.get(petId)
    if (!current) return refuse(req, res, 404, headers)
    if (ifMatch !== '*' && ifMatch !== tagOf(JSON.stringify(current)))
      return refuse(req, res, 412, headers)
    send(req, res, 200, store.replace(petId, pet), headers)
  })
}

function answer(req, res, headers) {
  const [path, query = ''] = req.url.split('?', 2)
  const [, resource, petId] = path.split('/')
  if (!served.has(resource)) return refuse(req, res, 404, headers)
  if (petId) {
    if (req.method === 'PUT') return replace(req, res, petId, headers)
    const pet = store.get(petId)
    return pet ? send(req, res, 200, pet, headers) : refuse(req, res, 404, headers)
  }
  if (req.method === 'POST')
    return withPet(req, res, headers, pet => send(req, res, 201, store.add(pet), headers))
  list(req, res, query, headers)
}

function answerBehindUpstream(req, res) {
  const start = performance.now()
  const id = req.headers['x-request-id'] ?? randomUUID()
  res.on('finish', () => {
    logger.info({
      id,
      method: req.method,
      url: req.url,
      status: res.statusCode,
      time: performance.now() - start,
    })
  })
  answer(req, res, { 'Access-Control-Allow-Origin': '*', 'X-Request-Id': id })
}

createServer(hasUpstream ? answerBehindUpstream : (req, res) => answer(req, res, {})).listen(
  port,
  '127.0.0.1',
)
