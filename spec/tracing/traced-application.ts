// A program of its own, as OpenTelemetry wants it: the instrumentation first, then Koa. Prints the
// server spans of its requests as JSON.
import { register } from 'node:module'
import { SpanKind } from '@opentelemetry/api'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { KoaInstrumentation } from '@opentelemetry/instrumentation-koa'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
registerInstrumentations({
  instrumentations: [new HttpInstrumentation(), new KoaInstrumentation()],
})

const { default: Koa } = await import('koa')
const { Api, Application, Blueprint, abort, json, operation, response, struct, int } = await import(
  'koa-smorest'
)

const app = process.argv[2] === 'Application' ? new Application() : new Koa()
app.silent = true
if (process.argv[3] === 'behind middleware') app.use((_ctx, next) => next())

const pets = new Blueprint('pets', { urlPrefix: '/pets' })
pets.get('/:petId<int>', operation(response(int)), (_ctx, { petId }) => petId)
pets.post('/:petId<int>/toys', operation(json(struct({ price: int }))), () => null)
pets.get('/gone', operation(), () => abort(410))
pets.get('/broken', operation(), () => {
  throw new Error('broken')
})
new Api(app, { OPENAPI_VERSION: '3.1.0' })
new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(pets)

const server = app.listen(0, '127.0.0.1')
await new Promise(resolve => server.once('listening', resolve))
const { port } = server.address() as { port: number }
const requests: [method: string, path: string][] = [
  ['GET', '/pets/7'],
  ['HEAD', '/pets/7'],
  ['POST', '/pets/7/toys'],
  ['GET', '/pets/gone'],
  ['GET', '/pets/broken'],
  ['GET', '/pets/none'],
  ['PUT', '/pets/7'],
  ['OPTIONS', '/pets/7'],
]
for (const [method, path] of requests)
  await fetch(`http://127.0.0.1:${port}${path}`, { method }).then(sent => sent.text())
server.closeAllConnections()
server.close()

const spans = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER)
process.stdout.write(
  JSON.stringify(
    spans.map(({ name, attributes }) => ({
      name,
      route: attributes['http.route'],
      status: attributes['http.response.status_code'] ?? attributes['http.status_code'],
    })),
  ),
)
