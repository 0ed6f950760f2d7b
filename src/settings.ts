import type { ErrorForm } from './http/errors/error-form.js'

/** Settings of an `Api`: the specification's application parameters (sections 4.5 to 4.7 and 9). */
export interface Settings {
  /** The document's title. Default `API`. */
  readonly API_TITLE?: string
  /** The API's version, copied verbatim into the document. Default `'1'`. */
  readonly API_VERSION?: string
  /**
   * How errors are written: `plain` (default) as `{ code, status, message?, errors? }`, `problem` as problem details (RFC 9457),
   * `negotiated` as problem details for clients whose Accept prefers `application/problem+json` by name, or in a form of your own.
   */
  readonly API_ERRORS?: 'plain' | 'problem' | 'negotiated' | ErrorForm
  /** What the types of problem details begin with, a URL or a path: `https://shop.example/problems/`. Default `/problems/`. */
  readonly API_PROBLEM_BASE?: string
  /** Version of the OpenAPI standard: `3.2.0`, `3.1.0`, `3.0.3` or `2.0`. Needed here or as `openapiVersion` of the spec options. */
  readonly OPENAPI_VERSION?: string
  /** Root attributes of the document; they win over the spec options. */
  readonly API_SPEC_OPTIONS?: Readonly<Record<string, unknown>>
  /** The base path of an OpenAPI 2.0 document. Default `/`. */
  readonly APPLICATION_ROOT?: string
  /** No entity tags and no preconditions at all. Default `false`. */
  readonly ETAG_DISABLED?: boolean
  /** PUT, PATCH and DELETE without If-Match are refused with 428. Default `true`. */
  readonly ETAG_REQUIRE_IF_MATCH?: boolean
  /** An operation with neither `secure` nor `open` is a fault at registration. Default `false`. */
  readonly API_REQUIRE_SECURITY?: boolean
  /** Base path of document and pages; `null` (default) serves none of them. */
  readonly OPENAPI_URL_PREFIX?: string | null
  /** The document's path below the prefix. Default `openapi.json`. */
  readonly OPENAPI_JSON_PATH?: string
  /**
   * The folder with the files of Swagger UI and ReDoc, a copy of the package's `dist/assets`: for applications that are bundled, since a
   * bundler leaves them behind. Relative to the working directory. `null` (default): in this package.
   */
  readonly OPENAPI_ASSETS_FOLDER?: string | URL | null
  /** ReDoc's path below the prefix; `null` (default): no page. */
  readonly OPENAPI_REDOC_PATH?: string | null
  /** Where ReDoc's script is; `null` (default): in this package, or by the version. */
  readonly OPENAPI_REDOC_URL?: string | null
  /** A version of ReDoc to load from its CDN (`latest`, `next`, `v1.22.3`, `2.5.0`, …); without it, this package's own. */
  readonly OPENAPI_REDOC_VERSION?: string | null
  /** Swagger UI's path below the prefix; `null` (default): no page. */
  readonly OPENAPI_SWAGGER_UI_PATH?: string | null
  /** The folder that Swagger UI's files are in; `null` (default): in this package, or by the version. */
  readonly OPENAPI_SWAGGER_UI_URL?: string | null
  /** A version of Swagger UI to load from its CDN; without it, this package's own. */
  readonly OPENAPI_SWAGGER_UI_VERSION?: string | null
  /** Options of Swagger UI as JSON, such as `{ docExpansion: 'none', persistAuthorization: true }`; they win over those of the page. */
  readonly OPENAPI_SWAGGER_UI_CONFIG?: Readonly<Record<string, unknown>> | null
  /** Methods with "Try it out"; an empty list disables it. Default: all. */
  readonly OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS?: readonly string[]
  /**
   * Secrets that the cursors of keysets are sealed with (AES-256-GCM), 16 characters or more each: the first seals, all of them
   * open, so that a secret can be replaced. Without them a cursor can be read, and what it holds has to be in the response.
   */
  readonly CURSOR_SECRETS?: readonly string[]
  /** Development: mistakes of the application are errors, and every response is compared with the document. Default: `app.env === 'development'`. */
  readonly DEBUG?: boolean
  /** The same for test runs. Default: `app.env === 'test'`. */
  readonly TESTING?: boolean
}

/** The name of every setting, to find those that are misspelt. */
export const SETTING_NAMES: readonly string[] = Object.keys({
  API_TITLE: true,
  API_VERSION: true,
  API_ERRORS: true,
  API_PROBLEM_BASE: true,
  OPENAPI_VERSION: true,
  API_SPEC_OPTIONS: true,
  APPLICATION_ROOT: true,
  API_REQUIRE_SECURITY: true,
  ETAG_DISABLED: true,
  ETAG_REQUIRE_IF_MATCH: true,
  OPENAPI_URL_PREFIX: true,
  OPENAPI_JSON_PATH: true,
  OPENAPI_REDOC_PATH: true,
  OPENAPI_REDOC_URL: true,
  OPENAPI_REDOC_VERSION: true,
  OPENAPI_SWAGGER_UI_PATH: true,
  OPENAPI_SWAGGER_UI_URL: true,
  OPENAPI_SWAGGER_UI_VERSION: true,
  OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: true,
  OPENAPI_ASSETS_FOLDER: true,
  OPENAPI_SWAGGER_UI_CONFIG: true,
  CURSOR_SECRETS: true,
  DEBUG: true,
  TESTING: true,
} satisfies Record<keyof Settings, true>)
