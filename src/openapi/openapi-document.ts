import type * as t from 'io-ts'
import type { ComponentsObject, OperationObject, SchemaObject, TagObject } from 'openapi3-ts/oas31'
import { stringify } from 'yaml'
import type { Settings } from '../settings.js'
import { document, type OperationDescription } from './document/document.js'
import { merge } from './document/fragment.js'
import { document30To20 } from './downgrade/document-30-to-20.js'
import { document31To30 } from './downgrade/document-31-to-30.js'
import { type ComponentKind, Schemas } from './schema/schemas.js'

/** Teaches the document what the library cannot know. */
export interface Plugin {
  /** The schema of a codec that it knows, `undefined` for all others. */
  readonly schema?: (codec: t.Mixed) => SchemaObject | undefined
  /** What is to be laid over the documentation of an operation. */
  readonly path?: (route: { readonly method: string; readonly path: string }) => Partial<OperationObject> | undefined
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
  readonly #tags: TagObject[] = []
  readonly #plugins: readonly Plugin[]
  /** The root attributes that the options gave. */
  readonly attributes: { readonly [attribute: string]: unknown }
  readonly #version: string
  #built: Document | undefined

  constructor(
    private readonly settings: Settings,
    { openapiVersion, koaPlugin, ioTsPlugin, extraPlugins = [], ...attributes }: SpecOptions,
    schemaOf: (codec: t.Mixed) => SchemaObject | undefined,
  ) {
    const { title, version: versioned } = attributes
    if (title !== undefined || versioned !== undefined)
      throw new TypeError('title and version of the document are the settings API_TITLE and API_VERSION')
    this.#plugins = [koaPlugin, ioTsPlugin, ...extraPlugins].filter(plugin => plugin !== undefined)
    this.attributes = attributes
    this.#version = version(settings.OPENAPI_VERSION ?? openapiVersion)
    this.schemas = new Schemas({ schemaOf: [schemaOf, ...this.#plugins.flatMap(plugin => plugin.schema ?? [])] })
    this.components = new ManualComponents(this.schemas, () => {
      this.#built = undefined
    })
  }

  /** Adds operations and tags, in the order of the document. */
  add(operations: readonly OperationDescription[], tags: readonly TagObject[]): void {
    const known = new Set(this.#tags.map(tag => tag.name))
    this.#tags.push(...tags.filter(tag => !known.has(tag.name)))
    this.#operations.push(...operations.map(operation => this.#withPlugins(operation)))
    this.#built = undefined
  }

  /** The document, in the version of the settings or another: `3.1.0`, `3.0.3`, `2.0`. A new value at each call. */
  toJSON(openapiVersion: string = this.#version): Document {
    const whole = this.latest
    const wanted = version(openapiVersion)
    if (wanted.startsWith('3.1')) return { ...JSON.parse(JSON.stringify(whole)), openapi: wanted }
    const lowered = document31To30(whole as never)
    if (wanted.startsWith('3.0')) return { ...lowered, openapi: wanted }
    return document30To20(lowered, { basePath: this.settings.APPLICATION_ROOT ?? '/' }) as unknown as Document
  }

  /** The same as YAML. */
  toYAML(openapiVersion?: string): string {
    return stringify(this.toJSON(openapiVersion), { aliasDuplicateObjects: false })
  }

  /** The document in OpenAPI 3.1, the same value until something is added. */
  get latest(): Document {
    this.#built ??= document({
      title: this.settings.API_TITLE ?? 'API',
      version: this.settings.API_VERSION ?? '1',
      operations: this.#operations,
      tags: this.#tags,
      schemas: this.schemas,
      options: this.attributes,
      overrides: { ...this.settings.API_SPEC_OPTIONS },
    }) as unknown as Document
    return this.#built
  }

  #withPlugins(operation: OperationDescription): OperationDescription {
    const { method, path } = operation
    const fragments = this.#plugins.flatMap(plugin => {
      const manual = plugin.path?.({ method: method.toUpperCase(), path })
      return manual ? [{ manual }] : []
    })
    return fragments.length > 0 ? { ...operation, fragment: merge([operation.fragment, ...fragments]) } : operation
  }
}

const VERSIONS = /^(?:3\.1\.\d+|3\.0\.\d+|2\.0)$/

function version(text: string | undefined): string {
  if (text === undefined)
    throw new TypeError(
      "OPENAPI_VERSION is not given: '3.1.0', '3.0.3' or '2.0', among the settings or as openapiVersion of the spec options",
    )
  if (!VERSIONS.test(text)) throw new TypeError(`OPENAPI_VERSION ${text} is none that is known: 3.1.0, 3.0.3 or 2.0`)
  return text
}
