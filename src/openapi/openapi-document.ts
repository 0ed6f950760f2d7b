import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { ComponentsObject, OpenAPIObject, OperationObject, TagObject } from 'openapi3-ts/oas32'
import type { ErrorForm } from '../http/errors/error-form.js'
import type { Settings } from '../settings.js'
import { document, type OperationDescription, unlistedTags } from './document/document.js'
import { merge } from './document/fragment.js'
import { toYaml } from './document/yaml.js'
import { document30To20, ROOT_20 } from './downgrade/document-30-to-20.js'
import { document31To30 } from './downgrade/document-31-to-30.js'
import { document32, document32To31 } from './downgrade/document-32-to-31.js'
import { Losses } from './downgrade/losses.js'
import { copyOf, omit, pick } from './schema/json.js'
import { type ComponentKind, Schemas } from './schema/schemas.js'

/** Teaches the document what the library cannot know. */
export interface Plugin {
  /** The schema of a codec that it knows, `undefined` for all others. */
  readonly schema?: (codec: t.Mixed) => SchemaObject | undefined
  /** What is to be laid over the documentation of an operation. */
  readonly path?: (route: {
    readonly method: string
    readonly path: string
  }) => Partial<OperationObject> | undefined
}

/** Options of the document: plugins, its version, and root attributes (`info`, `servers`, `security`, …). Settings win. */
export interface SpecOptions {
  readonly openapiVersion?: string
  readonly koaPlugin?: Plugin
  readonly ioTsPlugin?: Plugin
  readonly extraPlugins?: readonly Plugin[]
  readonly [attribute: string]: unknown
}

/** A document of any version, as a JSON value. */
export type Document = { readonly [attribute: string]: unknown }

/** Components that an application adds to the document by hand: `api.spec.components.schema('Money', { … })`. */
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

/** The OpenAPI document of an Api, in any version. It is built when it is first asked for, and again after a change. */
export class Spec {
  readonly schemas: Schemas
  /** For components that no operation declares. */
  readonly components: ManualComponents
  readonly #operations: OperationDescription[] = []
  readonly #tags = new Map<string, TagObject>()
  readonly #plugins: readonly Plugin[]
  /** The root attributes that the options gave. */
  readonly attributes: { readonly [attribute: string]: unknown }
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
    this.attributes = attributes
    this.version = version(settings.OPENAPI_VERSION ?? openapiVersion)
    this.schemas = new Schemas({
      errors,
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

  /**
   * The document, in the version of the settings or another: `3.2.0`, `3.1.0`, `3.0.3`, `2.0`. A new value at each call. What
   * the version cannot say is left out, and said in a warning once. `JSON.stringify(api.spec)` is the document in the version of
   * the settings.
   */
  toJSON(openapiVersion: string = this.version): Document {
    // JSON.stringify hands over the key under which the value stands: '' or 'spec' or '0'
    return copyOf(
      this.#inVersion(/^\d+\./.test(openapiVersion) ? openapiVersion : this.version),
    ) as Document
  }

  /** The document as the text that is sent: what `JSON.stringify` makes of it. */
  toText(openapiVersion: string = this.version): string {
    return JSON.stringify(this.#inVersion(openapiVersion))
  }

  /** The document in a version, which shares with `latest` what both have. */
  #inVersion(openapiVersion: string): Document {
    const wanted = version(openapiVersion)
    const losses = new Losses()
    const lowered = this.#lowered(wanted, losses)
    for (const [tag, place] of unlistedTags(this.latest as unknown as OpenAPIObject))
      this.#warnOnce(
        `The tag "${tag}" of ${place} is described nowhere: list it in the tags of API_SPEC_OPTIONS`,
      )
    const text = losses.text(wanted)
    if (text !== undefined) this.#warnOnce(text)
    return wanted === '2.0' ? lowered : { ...lowered, openapi: wanted }
  }

  #warnOnce(text: string): void {
    if (!this.#warned.has(text)) this.warn(text)
    this.#warned.add(text)
  }

  #lowered(wanted: string, { lost }: Losses): Document {
    const whole = this.latest as unknown as OpenAPIObject
    if (wanted.startsWith('3.2')) return document32(whole, lost) as unknown as Document
    const in31 = document32To31(whole, lost)
    if (wanted.startsWith('3.1')) return in31 as unknown as Document
    const in30 = document31To30(in31, lost)
    if (wanted.startsWith('3.0')) return in30 as unknown as Document
    const root = pick({ ...this.attributes, ...this.settings.API_SPEC_OPTIONS }, ROOT_20)
    const in20 = document30To20(
      { ...in30, ...root },
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
      tags: [...this.#tags.values()],
      schemas: this.schemas,
      options: omit(this.attributes, ROOT_20),
      overrides: omit(this.settings.API_SPEC_OPTIONS ?? {}, ROOT_20),
    })
    return this.#built as unknown as Document
  }

  /** An operation's description, with what the plugins say of it. */
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

const VERSIONS = /^(?:3\.[012]\.\d+|2\.0)$/

function version(text: string | undefined): string {
  const known = "'3.2.0', '3.1.0', '3.0.3' or '2.0'"
  if (text === undefined)
    throw new TypeError(
      `OPENAPI_VERSION is not given: ${known}, among the settings or as openapiVersion of the spec options`,
    )
  if (!VERSIONS.test(text)) throw new TypeError(`OPENAPI_VERSION ${text} is unknown: ${known}`)
  return text
}
