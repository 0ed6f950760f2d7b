import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type {
  HeaderObject,
  OpenAPIObject,
  OperationObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import type { Answer } from './client.js'

/** Holds the answer to a request against a document; throws an Error that says what differs. */
export type DocumentCheck = (method: string, path: string, answer: Answer) => void

/**
 * A check of answers against an OpenAPI 3.1 document (property P2): the status is documented or
 * covered by `default`, the media type is listed, the body fits its schema (JSON Schema 2020-12
 * with formats), required header fields are there, and those that are JSON fit theirs. Requests to
 * the paths in `undocumented`, or to what is not an operation, are not looked at.
 */
export function documentCheck(
  documentOf: () => object,
  undocumented: readonly string[],
): DocumentCheck {
  let judge: Judge | undefined
  return (method, target, answer) => {
    const path = target.split('?')[0] ?? ''
    if (undocumented.includes(path)) return
    const document = documentOf() as OpenAPIObject
    if (judge?.document !== document) judge = new Judge(document)
    const operation = findOperation(document, method, path)
    const fault = operation && judge.faultOf(method, operation, answer)
    if (fault)
      throw new Error(
        `${method} ${target}: the answer ${answer.status} is not as documented: ${fault}`,
      )
  }
}

function findOperation(
  { paths = {} }: OpenAPIObject,
  method: string,
  path: string,
): OperationObject | undefined {
  const templates = Object.keys(paths).filter(template => matches(template, path))
  // a literal segment beats a parameter
  const [template] = templates.sort(
    (left, right) => left.split('{').length - right.split('{').length,
  )
  const item = template === undefined ? undefined : paths[template]
  return item?.[(method === 'HEAD' ? 'get' : method.toLowerCase()) as 'get']
}

function matches(template: string, path: string): boolean {
  const [expected, actual] = [template, path].map(text => text.replace(/\/$/, '').split('/'))
  if (expected === undefined || actual === undefined || expected.length !== actual.length)
    return false
  return expected.every((segment, index) => /^\{.*\}$/.test(segment) || segment === actual[index])
}

/** One for all documents: to set it up takes longer than to check most of them. */
const ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true })
addFormats.default(ajv)
let documents = 0

class Judge {
  readonly #id = `document-${++documents}`
  readonly #validators = new WeakMap<object, ValidateFunction>()

  constructor(readonly document: OpenAPIObject) {
    ajv.addSchema({ $id: this.#id, components: document.components })
  }

  faultOf(method: string, { responses = {} }: OperationObject, answer: Answer): string | undefined {
    const { status, headers } = answer
    const declared =
      responses[status] ??
      responses[`${String(status)[0]}XX`] ??
      (status >= 400 ? responses.default : undefined)
    if (declared === undefined) return 'the status is not there'
    const response = this.#resolve<ResponseObject>(declared)
    for (const [name, reference] of Object.entries(response.headers ?? {})) {
      const fault = this.#faultOfHeader(this.#resolve<HeaderObject>(reference), headers.get(name))
      if (fault) return `header field ${name}: ${fault}`
    }
    return method === 'HEAD' ? undefined : this.#faultOfBody(response, answer)
  }

  #faultOfHeader(
    { required, content, schema }: HeaderObject,
    value: string | null,
  ): string | undefined {
    if (value === null) return required ? 'is missing' : undefined
    const json = content?.['application/json']
    return json
      ? this.#faultOf(json.schema, JSON.parse(value))
      : schema && this.#faultOf({ ...schema, type: 'string' }, value)
  }

  #faultOfBody(
    { content = {} }: ResponseObject,
    { headers, text, body }: Answer,
  ): string | undefined {
    const [type = ''] = (headers.get('Content-Type') ?? '').split(';')
    if (text === '' && Object.keys(content).length === 0) return undefined
    const range = Object.keys(content).find(
      known => known === type || known === '*/*' || type.startsWith(known.replace(/\*$/, '')),
    )
    if (range === undefined) return `the media type "${type}" is not there`
    return type.endsWith('json') ? this.#faultOf(content[range]?.schema, body) : undefined
  }

  #faultOf(schema: object | undefined, value: unknown): string | undefined {
    if (schema === undefined) return undefined
    const known = this.#validators.get(schema)
    const validate =
      known ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${this.#id}#/`)))
    this.#validators.set(schema, validate)
    return validate(value)
      ? undefined
      : `${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`
  }

  #resolve<Found extends object>(value: object): Found {
    const { $ref } = value as Partial<ReferenceObject>
    if ($ref === undefined) return value as Found
    const found = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], this.document)
    return this.#resolve(found as object)
  }
}
