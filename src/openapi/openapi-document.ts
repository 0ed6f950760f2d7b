import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type {
  ComponentsObject,
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  ReferenceObject,
  TagObject,
} from 'openapi3-ts/oas32'
import { requireCodec } from '../codec/shape/annotations.js'
import type { BareSchema } from '../codec/types/standard-type.js'
import type { ErrorForm } from '../http/errors/error-forms.js'
import type { Settings } from '../settings.js'
import { danglingReferences } from './document/dangling-references.js'
import { document, unlistedTags } from './document/document.js'
import { merge, type OperationDescription } from './document/fragment.js'
import { toYaml } from './document/yaml.js'
import { document30To20, ROOT_20 } from './downgrade/document-30-to-20.js'
import { document31To30 } from './downgrade/document-31-to-30.js'
import { document32To31 } from './downgrade/document-32-to-31.js'
import type { Lost } from './downgrade/objects.js'
import { deepMerge, type JsonObject, objectIn, omit, pick } from './schema/json.js'
import { type ComponentKind, Schemas } from './schema/schemas.js'

/** Teaches the document what the library cannot know. */
export interface Plugin {
  /** The schema of a codec that it knows, `undefined` for all others. */
  readonly schema?: (codec: t.Mixed) => SchemaObject | undefined
  readonly path?: (route: {
    readonly method: string
    readonly path: string
  }) => Partial<OperationObject> | undefined
}

/**
 * Options of the document: plugins, its version, and root attributes (`info`, `servers`,
 * `security`, …). Settings win.
 */
export interface SpecOptions {
  readonly openapiVersion?: string
  readonly koaPlugin?: Plugin
  readonly ioTsPlugin?: Plugin
  readonly extraPlugins?: readonly Plugin[]
  readonly [attribute: string]: unknown
}

/** A document of any version, as a JSON value. */
export type Document = { readonly [attribute: string]: unknown }

/**
 * Components that an application adds to the document by hand: `api.spec.components.schema('Money',
 * { … })`.
 */
export class ManualComponents {
  constructor(
    private readonly schemas: Schemas,
    private readonly changed: () => void,
  ) {}

  schema = this.#adder('schemas')
  response = this.#adder('responses')
  parameter = this.#adder('parameters')
  example = this.#adder('examples')
  header = this.#adder('headers')
  requestBody = this.#adder('requestBodies')
  securityScheme = this.#adder('securitySchemes')
  link = this.#adder('links')

  #adder<Kind extends ComponentKind>(kind: Kind) {
    return (name: string, component: NonNullable<ComponentsObject[Kind]>[string]): this => {
      this.schemas.component(kind, name, component)
      this.changed()
      return this
    }
  }
}

/**
 * The OpenAPI document of an Api, in any version. It is built when it is first asked for, and again
 * after a change.
 */
export class Spec {
  readonly schemas: Schemas
  /** For components that no operation declares. */
  readonly components: ManualComponents
  readonly #operations: OperationDescription[] = []
  readonly #webhooks = new Map<string, PathItemObject>()
  readonly #tags = new Map<string, TagObject>()
  readonly #plugins: readonly Plugin[]
  /** The root attributes of the options, with those of the settings laid over them. */
  readonly attributes: JsonObject
  /** The version of the settings: `3.1.0`. */
  readonly version: string
  #built: OpenAPIObject | undefined
  readonly #warned = new Set<string>()

  constructor(
    private readonly settings: Settings,
    { openapiVersion, koaPlugin, ioTsPlugin, extraPlugins = [], ...attributes }: SpecOptions,
    errors: readonly ErrorForm[],
    schemaOf: (codec: t.Mixed) => SchemaObject | undefined,
    private readonly warn: (text: string) => void,
  ) {
    const { title, version: versioned } = attributes
    if (title !== undefined || versioned !== undefined)
      throw new TypeError(
        'title and version of the document are the settings API_TITLE and API_VERSION',
      )
    this.#plugins = [koaPlugin, ioTsPlugin, ...extraPlugins].filter(plugin => plugin !== undefined)
    this.attributes = deepMerge(attributes, settings.API_SPEC_OPTIONS) as JsonObject
    this.version = version(settings.OPENAPI_VERSION ?? openapiVersion)
    this.schemas = new Schemas({
      errors,
      responses: objectIn(this.attributes.components).responses as Responses,
      schemaOf: [schemaOf, ...this.#plugins.flatMap(plugin => plugin.schema ?? [])],
    })
    this.components = new ManualComponents(this.schemas, () => {
      this.#built = undefined
    })
  }

  /** Adds operations and tags, in the order of the document. */
  add(operations: readonly OperationDescription[], tags: readonly TagObject[]): void {
    const added = tags.filter(tag => !this.#tags.has(tag.name))
    for (const tag of added) this.#tags.set(tag.name, tag)
    this.#operations.push(...operations)
    this.#built = undefined
  }

  /** Returns whether a webhook of this name has been added. */
  hasWebhook(name: string): boolean {
    return this.#webhooks.has(name)
  }

  /** Adds a webhook under its name. */
  addWebhook(name: string, item: PathItemObject): void {
    this.#webhooks.set(name, item)
    this.#built = undefined
  }

  /**
   * Puts a codec into the components under its name, as what a response holds, and returns a
   * reference to it: for what you describe by hand, and for values that no operation declares.
   * Throws a TypeError if the codec has no name of its own.
   */
  define(
    codec: t.Mixed | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  ): ReferenceObject {
    requireCodec('define() takes', codec)
    this.#built = undefined
    return this.schemas.define(codec as t.Mixed)
  }

  /**
   * The document, in the version of the settings or another: `3.2.0`, `3.1.0`, `3.0.3`, `2.0`. A
   * new value at each call. Everything that the version cannot express is left out, with one
   * warning. `JSON.stringify(api.spec)` is the document in the version of the settings.
   */
  toJSON(openapiVersion: string = this.version): Document {
    // JSON.stringify passes the key of the value: '' or 'spec' or '0'
    const document = this.#inVersion(/^\d+\./.test(openapiVersion) ? openapiVersion : this.version)
    return JSON.parse(JSON.stringify(document))
  }

  /**
   * The document as sent. `mount` is the path below which the application is mounted: its server,
   * unless it is empty. Warns once of references without a target.
   */
  toText(openapiVersion: string = this.version, mount = ''): string {
    const document = this.#inVersion(openapiVersion)
    for (const fault of danglingReferences(document)) this.#warnOnce(fault)
    if (mount === '') return JSON.stringify(document)
    const server = 'swagger' in document ? { basePath: mount } : { servers: [{ url: mount }] }
    return JSON.stringify({ ...document, ...server })
  }

  /** The document in a version, which may share parts with `latest`. */
  #inVersion(openapiVersion: string): Document {
    const wanted = version(openapiVersion)
    const losses: Losses = new Map()
    const lowered = this.#lowered(wanted, (what, at) =>
      losses.set(what, [...(losses.get(what) ?? []), at]),
    )
    for (const [tag, place] of unlistedTags(this.latest as unknown as OpenAPIObject))
      this.#warnOnce(
        `The tag "${tag}" of ${place} is described nowhere: list it in the tags of API_SPEC_OPTIONS`,
      )
    if (losses.size > 0)
      this.#warnOnce(`The document leaves out what OpenAPI ${wanted} cannot say: ${listed(losses)}`)
    return wanted === '2.0' ? lowered : { ...lowered, openapi: wanted }
  }

  #warnOnce(text: string): void {
    if (!this.#warned.has(text)) this.warn(text)
    this.#warned.add(text)
  }

  #lowered(wanted: string, lost: Lost): Document {
    if (wanted.startsWith('3.2')) return this.latest
    const in31 = document32To31(this.latest as unknown as OpenAPIObject, lost)
    if (wanted.startsWith('3.1')) return in31 as unknown as Document
    const in30 = document31To30(in31, lost)
    if (wanted.startsWith('3.0')) return in30 as unknown as Document
    const in20 = document30To20(
      { ...in30, ...pick(this.attributes, ROOT_20) },
      { basePath: this.settings.APPLICATION_ROOT ?? '/' },
      lost,
    )
    return in20 as unknown as Document
  }

  /** The same as YAML. */
  toYAML(openapiVersion: string = this.version): string {
    return toYaml(this.#inVersion(openapiVersion))
  }

  /** The document in OpenAPI 3.2, the same value until something is added. */
  get latest(): Document {
    this.#built ??= document({
      title: String(this.settings.API_TITLE ?? 'API'),
      version: String(this.settings.API_VERSION ?? '1'),
      operations: this.#operations,
      webhooks: this.#webhooks,
      tags: [...this.#tags.values()],
      schemas: this.schemas,
      attributes: omit(this.attributes, ROOT_20),
    })
    return this.#built as unknown as Document
  }

  /**
   * The challenges of an operation for a request without credentials, from its schemes (RFC 9110,
   * section 11.6.1). `method` is for example `GET`, `path` is the documented one, `/pets/{petId}`.
   */
  challengesOf(method: string, path: string): readonly string[] {
    const operation = this.#operations.find(
      known => known.path === path && known.method.toUpperCase() === method,
    )
    return operation?.fragment.challenges ?? []
  }

  /** An operation's description, with the additions of the plugins. */
  withPlugins(operation: OperationDescription): OperationDescription {
    const { method, path } = operation
    const fragments = this.#plugins.flatMap(plugin => {
      const manual = plugin.path?.({ method: method.toUpperCase(), path })
      return manual ? [{ manual }] : []
    })
    return fragments.length > 0
      ? { ...operation, fragment: merge([operation.fragment, ...fragments]) }
      : operation
  }
}

type Responses = ComponentsObject['responses']

/** The versions that a document can have. */
export const VERSIONS = /^(?:3\.[012]\.\d+|2\.0)$/

function version(text: string | undefined): string {
  const known = "'3.2.0', '3.1.0', '3.0.3' or '2.0'"
  if (text === undefined)
    throw new TypeError(
      `OPENAPI_VERSION is not given: ${known}, among the settings or as openapiVersion of the spec options`,
    )
  if (!VERSIONS.test(text)) throw new TypeError(`OPENAPI_VERSION ${text} is unknown: ${known}`)
  return text
}

const SHOWN = 3

/** The parts of a document that a version cannot express, with their places. */
type Losses = Map<string, readonly string[]>

function listed(losses: Losses): string {
  return [...losses]
    .map(([what, places]) => what + where([...new Set(places)].filter(place => place !== '')))
    .join('; ')
}

function where(places: readonly string[]): string {
  if (places.length === 0) return ''
  const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : ''
  return ` (${places.slice(0, SHOWN).join(', ')}${more})`
}
