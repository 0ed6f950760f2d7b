import { PassThrough, Readable } from 'node:stream'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  doc,
  int,
  json,
  maxLength,
  minLength,
  operation,
  pattern,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { runContract } from '../../src/testing/run-contract.js'

const SHORT = { response: 2000, stream: 60, laterStream: 10 }

/** What a contract test says of these operations, with little patience. */
async function reportOf(plan: (all: Blueprint) => unknown, runs = 6) {
  const app = new Koa()
  app.silent = true
  const all = new Blueprint('all')
  plan(all)
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
  api.registerBlueprint(all)
  const { failures, requests } = await runContract(app, api, { runs, reset() {} }, SHORT)
  return {
    requests,
    failures: failures.map(({ check, operation: of, message, curl }) => ({
      check,
      of,
      message,
      curl: curl.slice(0, 40),
    })),
  }
}

const streamed = (contentType: string) => operation(response({ contentType }))

describe('contract ends, and reports the rest', () => {
  it('if a handler never answers: after two requests it is left alone', async () => {
    let calls = 0
    const { failures } = await reportOf(all => {
      all.get('/stuck', operation(response(t.string)), () => {
        calls++
        return new Promise<string>(() => undefined)
      })
      all.get('/wrong', operation(response(int)), ctx => {
        ctx.status = 206
        return 1
      })
    })
    expect(calls).toBe(2)
    expect(failures).toEqual([
      {
        check: 'no response',
        of: 'GET /stuck',
        message: 'no response in 2 seconds',
        curl: "curl -X GET 'http://localhost/stuck'",
      },
      expect.objectContaining({ check: 'status', of: 'GET /wrong' }),
    ])
  })

  it('if a stream breaks off', async () => {
    const { failures } = await reportOf(all =>
      all.get('/csv', streamed('text/csv'), () =>
        Readable.from(
          (async function* () {
            yield 'id\n1'
            throw new Error('the disk is gone')
          })(),
        ),
      ),
    )
    expect(failures).toEqual([
      {
        check: 'no response',
        of: 'GET /csv',
        message: expect.stringMatching(/^the response broke off/),
        curl: "curl -X GET 'http://localhost/csv'",
      },
    ])
  })

  it('if a stream has no end, which is not a failure, and the stream is closed', async () => {
    let open = 0
    const { failures, requests } = await reportOf(all => {
      const stream = () => {
        const events = new PassThrough()
        open++
        events.write(': connected\n\n')
        return events.on('close', () => open--)
      }
      all.get('/events', streamed('text/event-stream'), stream)
    })
    await new Promise(setImmediate)
    expect({ failures, open, many: requests > 4 }).toEqual({ failures: [], open: 0, many: true })
  })

  it('if a Location is not a reference', async () => {
    const { failures } = await reportOf(all => {
      all.post('/things', operation(json(int), response(int, { code: 201 })), (ctx, n) => {
        ctx.set('Location', 'http://[')
        return n
      })
      all.get('/things/:thingId<int>', operation(response(int)), () => 1)
    })
    expect(failures).toEqual([])
  })
})

describe('a value that is hard to find', () => {
  const Long = struct(
    {
      secret: minLength(t.string, 12),
      essay: minLength(t.string, 50_000),
      letters: pattern(minLength(t.string, 30), /^[a-z]+$/),
    },
    'Long',
  )
  it('is made if it has to be long', async () => {
    const { failures } = await reportOf(all =>
      all.post('/', operation(json(Long), response({ code: 204 })), () => undefined),
    )
    expect(failures).toEqual([])
  })

  it('is a failure if no search finds it, and the search does not take long', async () => {
    const Never = pattern(maxLength(t.string, 3), /^(?=.*x)(?=.*y)(?=.*z)(?=.*w).+$/)
    const { failures } = await reportOf(all =>
      all.post('/', operation(json(struct({ never: Never })), response({ code: 204 })), () => {}),
    )
    expect(failures.map(({ check }) => check)).toEqual(['no value'])
  })
})

describe('the items of a stream', () => {
  const Job = {
    type: 'object',
    properties: { id: { type: 'integer' } },
    required: ['id'],
    additionalProperties: false,
  }
  const described = (type: string, content: object) => [
    doc({ responses: { 200: { description: 'Jobs', content: { [type]: content } } } } as never),
    response({ contentType: type }),
  ]
  const judged = async (type: string, schema: object, text: string) => {
    const features = described(type, { schema: { type: 'string' }, 'x-itemSchema': schema })
    const { failures } = await reportOf(all =>
      all.get('/jobs', operation(...(features as [])), (() => Readable.from([text])) as never),
    )
    return failures.map(({ check, message }) => `${check}: ${message}`)
  }
  const Event = {
    type: 'object',
    properties: {
      event: { const: 'job' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: Job },
    },
    required: ['event', 'data'],
  }

  it.each([
    ['{"id":1}\n{"id":2}\n', []],
    ['{"id":1}\n{"id":"2"}\n', ['item: an item is not as documented: value/id must be integer']],
    ['{"id":1}\n{"id"', ['item: a line is not JSON: {"id"']],
  ])('are judged as lines: %s', async (text, expected) => {
    expect(await judged('application/jsonl', Job, text)).toEqual(expected)
  })

  it.each([
    ['event: job\ndata: {"id":1}\n\n: beat\n\n', []],
    [
      'event: jab\ndata: {"id":1}\n\n',
      ['item: an event is not as documented: value/event must be equal to constant'],
    ],
    [
      'event: job\ndata: {"id":1.5}\n\n',
      ['item: an event "job": an item is not as documented: value/id must be integer'],
    ],
    ['event: job\ndata: one\n\n', ['item: an event "job": its data are not JSON']],
    [
      'event: error\ndata: {"code":500}\n\n',
      ['item: the stream ended with an error: {"code":500}'],
    ],
  ])('are judged as events: %s', async (text, expected) => {
    expect(await judged('text/event-stream', Event, text)).toEqual(expected)
  })
})
