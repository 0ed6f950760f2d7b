import Koa from 'koa'
import {
  Api,
  altResponse,
  Blueprint,
  type Documentation,
  doc,
  type Fragment,
  operation,
  type PathsOf,
  type Plugin,
  response,
} from 'koa-smorest'
import type * as oas31 from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'

// Values of either version's types are accepted wherever an application documents something by
// hand.
declare const in31: {
  readonly operation: oas31.OperationObject
  readonly response: oas31.ResponseObject
  readonly parameter: oas31.ParameterObject
  readonly header: oas31.HeaderObject
  readonly schema: oas31.SchemaObject
  readonly example: oas31.ExampleObject
  readonly scheme: oas31.SecuritySchemeObject
  readonly body: oas31.RequestBodyObject
  readonly link: oas31.LinkObject
}
declare const in32: {
  readonly operation: oas32.OperationObject
  readonly response: oas32.ResponseObject
  readonly parameter: oas32.ParameterObject
  readonly header: oas32.HeaderObject
  readonly example: oas32.ExampleObject
  readonly scheme: oas32.SecuritySchemeObject
  readonly body: oas32.RequestBodyObject
  readonly link: oas32.LinkObject
}

const api = new Api(new Koa(), { OPENAPI_VERSION: '3.2.0' })
for (const given of [in31, in32]) {
  const documentation: Documentation = given.operation
  const plugin: Plugin = { path: () => given.operation }
  const fragment: Fragment = {
    parameters: [given.parameter],
    requestBody: given.body,
    responses: { 200: given.response },
    every: { headers: { A: given.header } },
    manual: given.operation,
  }
  new Blueprint('b').get(
    '/',
    operation(
      doc(given.operation),
      response({ headers: { A: given.header }, examples: { a: given.example } }),
      altResponse(409, { headers: { A: given.header } }),
    ),
    () => [documentation, plugin, fragment],
    { parameters: [given.parameter] },
  )
  api.spec.components
    .response('R', given.response)
    .parameter('P', given.parameter)
    .example('E', given.example)
    .header('H', given.header)
    .requestBody('B', given.body)
    .securityScheme('S', given.scheme)
    .link('L', given.link)
}
api.spec.components.schema('Schema', in31.schema)

// statuses that the compiler does not know add no response to those that it knows
declare const code: number
const known = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
  new Blueprint('known').get(
    '/',
    operation(
      doc(in31.operation),
      doc({ responses: { [code]: { description: 'Some' }, 404: { description: 'None' } } }),
      response(),
    ),
    () => undefined,
  ),
)
declare const statuses: keyof PathsOf<typeof known>['/']['get']['responses']
export const shown: 200 | 404 | 'default' = statuses
