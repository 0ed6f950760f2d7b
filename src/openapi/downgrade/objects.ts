import { setOwn } from '../../codec/shape/plain-object.js'
import { isObject, type JsonObject, METHODS, objectIn, pick } from '../schema/json.js'

/** The fields that parameters and headers share. */
const SERIALIZED = { schema: 'schema', content: ['mediaType'], examples: ['example'] } as const

/**
 * The objects in OpenAPI 3.2 whose fields hold objects that some version rewrites: `['server']` is a
 * list or a map of them, `*` is every field that is not an extension. All other fields are kept
 * unchanged, unless the version lacks them.
 */
const OBJECTS = {
  document: {
    info: 'info',
    servers: ['server'],
    paths: 'paths',
    webhooks: ['pathItem'],
    // the place of webhooks in versions below 3.1
    'x-webhooks': ['pathItem'],
    components: 'components',
    tags: ['tag'],
  },
  info: { license: 'license' },
  license: {},
  server: {},
  tag: {},
  paths: { '*': 'pathItem' },
  pathItem: {
    servers: ['server'],
    parameters: ['parameter'],
    ...Object.fromEntries(METHODS.map(method => [method, 'operation'])),
    // the place of QUERY in versions below 3.2
    'x-query': 'operation',
  },
  operation: {
    parameters: ['parameter'],
    requestBody: 'requestBody',
    responses: 'responses',
    callbacks: ['callback'],
    servers: ['server'],
  },
  callback: { '*': 'pathItem' },
  parameter: SERIALIZED,
  header: SERIALIZED,
  requestBody: { content: ['mediaType'] },
  responses: { '*': 'response' },
  response: { headers: ['header'], content: ['mediaType'], links: ['link'] },
  mediaType: {
    schema: 'schema',
    // the replacement of `itemSchema` in versions below 3.2
    'x-itemSchema': 'schema',
    examples: ['example'],
    encoding: ['encoding'],
  },
  encoding: { headers: ['header'] },
  example: {},
  link: { server: 'server' },
  components: {
    schemas: ['schema'],
    responses: ['response'],
    parameters: ['parameter'],
    examples: ['example'],
    requestBodies: ['requestBody'],
    headers: ['header'],
    securitySchemes: ['securityScheme'],
    links: ['link'],
    callbacks: ['callback'],
    pathItems: ['pathItem'],
  },
  securityScheme: { flows: 'flows' },
  flows: {},
} as const satisfies Record<string, Fields>

type Fields = { readonly [field: string]: string | readonly [string] }

/** A kind of object in a document; schemas have rules of their own. */
type Kind = keyof typeof OBJECTS

/** Called with everything that a version cannot express, and its place in the document. */
export type Lost = (what: string, at: string) => void

/** The context for the conversion of one object. */
export interface Conversion {
  /** To be told what is left out of the object. */
  readonly lost: (what: string) => void
  /** Finds the target of a reference; an empty object if there is none. */
  readonly resolve: Resolve
}

/** Finds the target of a reference of the document; an empty object if there is none. */
export type Resolve = ($ref: string) => JsonObject

/** A version of OpenAPI 3 that documents are rewritten to. */
export interface Version {
  /** The fields of OpenAPI 3.2 that it lacks. */
  readonly lacks: { readonly [K in Kind]?: readonly string[] }
  /** The keywords that are allowed beside a reference. */
  readonly besideReference: readonly string[]
  /** Kinds that it cannot refer to: what a reference points at is written in its place. */
  readonly writtenOut: readonly Kind[]
  readonly schema: (schema: unknown, conversion: Conversion) => unknown
  /**
   * Rewrites an object before its fields are; undefined if the version does not have such an
   * object.
   */
  readonly convert: {
    readonly [K in Kind]?: (object: JsonObject, conversion: Conversion) => JsonObject | undefined
  }
}

/** The document in another version. */
export function rewrite(document: JsonObject, version: Version, lost: Lost): JsonObject {
  return (
    new Rewriting(version, lost, resolver(document.components)).object(document, 'document') ?? {}
  )
}

/** Follows `#/components/<kind>/<name>`. */
export function resolver(components: unknown): Resolve {
  return $ref => {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec($ref) ?? []
    return objectIn(objectIn(objectIn(components)[kind])[name])
  }
}

class Rewriting {
  /** References that are being written out, of which one inside itself has no end. */
  readonly #open = new Set<string>()
  /** The current place in the document. */
  readonly #path: string[] = []
  readonly #conversion: Conversion

  constructor(
    private readonly version: Version,
    private readonly lost: Lost,
    private readonly resolve: Resolve,
  ) {
    this.#conversion = { lost: what => this.#lose(what), resolve }
  }

  object(value: unknown, kind: Kind): JsonObject | undefined {
    if (!isObject(value)) return value as undefined
    if (typeof value.$ref === 'string') {
      if (this.version.writtenOut.includes(kind) && value.$ref.startsWith('#/'))
        return this.#writtenOut(value.$ref, kind)
      if (kind !== 'pathItem') return this.#reference(value)
    }
    const convert = this.version.convert[kind]
    const converted = convert ? convert(value, this.#conversion) : value
    if (converted === undefined) return undefined
    return this.#map(converted, name => this.#fieldOf(kind, name))
  }

  #reference(reference: JsonObject): JsonObject {
    return pick(reference, ['$ref', ...this.version.besideReference])
  }

  #fieldOf(kind: Kind, name: string): Holds | undefined {
    if (this.version.lacks[kind]?.includes(name)) {
      this.#lose(`"${name}" of ${named(kind)}`)
      return undefined
    }
    const known: Fields = OBJECTS[kind]
    return known[name] ?? (name.startsWith('x-') ? '' : (known['*'] ?? ''))
  }

  #map(object: JsonObject, holdsOf: (name: string) => Holds | undefined): JsonObject {
    const rewritten: Record<string, unknown> = {}
    for (const name of Object.keys(object)) {
      const holds = holdsOf(name)
      if (holds === undefined) continue
      this.#path.push(name)
      const field = this.#field(object[name], holds)
      this.#path.pop()
      if (field !== undefined) setOwn(rewritten, name, field)
    }
    return rewritten
  }

  #field(value: unknown, holds: Holds): unknown {
    if (holds === '') return value
    if (holds === 'schema') return this.version.schema(value, this.#conversion)
    if (typeof holds === 'string') return this.object(value, holds as Kind)
    if (isObject(value)) return this.#map(value, () => holds[0])
    return Array.isArray(value) ? this.#list(value, holds[0]) : value
  }

  #list(list: readonly unknown[], holds: Holds): readonly unknown[] {
    const items = list.map((item, index) => {
      this.#path.push(String(index))
      const rewritten = this.#field(item, holds)
      this.#path.pop()
      return rewritten
    })
    return items.filter(item => item !== undefined)
  }

  #writtenOut($ref: string, kind: Kind): JsonObject | undefined {
    if (this.#open.has($ref)) {
      this.#lose(`${named(kind)} inside themselves`)
      return undefined
    }
    this.#open.add($ref)
    const written = this.object(this.resolve($ref), kind)
    this.#open.delete($ref)
    return written
  }

  #lose(what: string): void {
    this.lost(what, this.#path.join('.'))
  }
}

type Holds = Fields[string]

/** As OpenAPI calls it: Path Item Objects. */
function named(kind: Kind): string {
  const name =
    kind === 'document'
      ? 'OpenAPI'
      : kind === 'flows'
        ? 'OAuth Flows'
        : kind.replace(/^[a-z]/, letter => letter.toUpperCase())
  return `${name.replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ')} Objects`
}
