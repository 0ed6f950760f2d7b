import type { ErrorForm } from './http/errors/error-forms.js'
import { optionsIn, shown, suggestion } from './names.js'
import {
  anything,
  flag,
  isString,
  object,
  type Rule,
  type Rules,
  requireOptions,
  string,
  strings,
} from './options.js'

/** Settings of an `Api`: the specification's application parameters (sections 4.5 to 4.7 and 9). */
export interface Settings {
  /** The document's title. Default `API`. */
  readonly API_TITLE?: string
  /** The API's version, copied verbatim into the document. Default `'1'`. */
  readonly API_VERSION?: string
  /**
   * How errors are written: `plain` (default) as `{ code, status, message?, errors? }`, `problem`
   * as problem details (RFC 9457), `negotiated` as problem details for clients whose Accept prefers
   * `application/problem+json` by name, or in a form of your own.
   */
  readonly API_ERRORS?: 'plain' | 'problem' | 'negotiated' | ErrorForm
  /**
   * The URL or path that the types of problem details begin with: `https://shop.example/problems/`.
   * Default `/problems/`.
   */
  readonly API_PROBLEM_BASE?: string
  /**
   * Version of the OpenAPI standard: `3.2.0`, `3.1.0`, `3.0.3` or `2.0`. Required here or as
   * `openapiVersion` of the spec options.
   */
  readonly OPENAPI_VERSION?: string
  /** Root attributes of the document; they override the spec options. */
  readonly API_SPEC_OPTIONS?: Readonly<Record<string, unknown>>
  /** The base path of an OpenAPI 2.0 document. Default `/`. */
  readonly APPLICATION_ROOT?: string
  /** Disables entity tags and preconditions. Default `false`. */
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
   * The folder with the files of Swagger UI and ReDoc, a copy of the package's `dist/assets`: for
   * applications that are bundled, since a bundler leaves them behind. Relative to the working
   * directory. `null` (default): in this package.
   */
  readonly OPENAPI_ASSETS_FOLDER?: string | URL | null
  /** ReDoc's path below the prefix; `null` (default): no page. */
  readonly OPENAPI_REDOC_PATH?: string | null
  /**
   * The URL of the script of ReDoc; `null` (default): the one in this package, or in the CDN if a
   * version is set.
   */
  readonly OPENAPI_REDOC_URL?: string | null
  /**
   * A version of ReDoc to load from its CDN (`latest`, `next`, `v1.22.3`, `2.5.0`, …); without it,
   * this package's own.
   */
  readonly OPENAPI_REDOC_VERSION?: string | null
  /**
   * Redoc 3's path below the prefix; `null` (default): no page. Its script comes from the package
   * `redoc` 3, which the application installs.
   */
  readonly OPENAPI_REDOC3_PATH?: string | null
  /**
   * Scalar's path below the prefix; `null` (default): no page. Its script comes from the package
   * `@scalar/api-reference`, which the application installs.
   */
  readonly OPENAPI_SCALAR_PATH?: string | null
  /** Swagger UI's path below the prefix; `null` (default): no page. */
  readonly OPENAPI_SWAGGER_UI_PATH?: string | null
  /**
   * The URL of the folder with the files of Swagger UI; `null` (default): those in this package, or
   * in the CDN if a version is set.
   */
  readonly OPENAPI_SWAGGER_UI_URL?: string | null
  /** A version of Swagger UI to load from its CDN; without it, this package's own. */
  readonly OPENAPI_SWAGGER_UI_VERSION?: string | null
  /**
   * Options of Swagger UI as JSON, such as `{ docExpansion: 'none', persistAuthorization: true }`;
   * they win over those of the page.
   */
  readonly OPENAPI_SWAGGER_UI_CONFIG?: Readonly<Record<string, unknown>> | null
  /** Methods with "Try it out"; an empty list disables it. Default: all. */
  readonly OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS?: readonly string[]
  /**
   * Secrets that seal the cursors of keysets (AES-256-GCM), at least 16 characters each: the first
   * seals, all of them open, so that secrets can be rotated. Without secrets, clients can read
   * cursors, which may then contain only fields of the response.
   */
  readonly CURSOR_SECRETS?: readonly string[]
  /**
   * Development: mistakes of the application are errors, and every response is compared with the
   * document. Default: `app.env === 'development'`.
   */
  readonly DEBUG?: boolean
  /** The same for test runs. Default: `app.env === 'test'`. */
  readonly TESTING?: boolean
}

const orNull = (rule: Rule): Rule => ({
  text: `${rule.text} or null`,
  fits: value => value === null || rule.fits(value),
})
const path = orNull(string)
// a version may be a number too: a configuration in YAML has a version 2
const name: Rule = { ...string, fits: value => isString(value) || Number.isFinite(value) }

/**
 * The rule of every setting, for values that come from JavaScript or from a variable of the
 * environment.
 */
export const SETTING_RULES: Rules<Settings> = {
  API_TITLE: name,
  API_VERSION: name,
  API_ERRORS: anything,
  API_PROBLEM_BASE: string,
  OPENAPI_VERSION: string,
  API_SPEC_OPTIONS: object,
  APPLICATION_ROOT: string,
  API_REQUIRE_SECURITY: flag,
  ETAG_DISABLED: flag,
  ETAG_REQUIRE_IF_MATCH: flag,
  OPENAPI_URL_PREFIX: path,
  OPENAPI_JSON_PATH: string,
  OPENAPI_REDOC_PATH: path,
  OPENAPI_REDOC_URL: path,
  OPENAPI_REDOC_VERSION: path,
  OPENAPI_REDOC3_PATH: path,
  OPENAPI_SCALAR_PATH: path,
  OPENAPI_SWAGGER_UI_PATH: path,
  OPENAPI_SWAGGER_UI_URL: path,
  OPENAPI_SWAGGER_UI_VERSION: path,
  OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: strings,
  OPENAPI_ASSETS_FOLDER: {
    text: 'a string, a URL or null',
    fits: value => path.fits(value) || value instanceof URL,
  },
  OPENAPI_SWAGGER_UI_CONFIG: orNull(object),
  // keyset checks more, with the operation in its message
  CURSOR_SECRETS: anything,
  DEBUG: flag,
  TESTING: flag,
}

// Finds the errors of settings that the compiler would have found: in programs in JavaScript, and
// in variables of the environment, which are strings instead of numbers or booleans, or the other
// way round.

/**
 * Throws a TypeError that names every setting of the wrong kind; `undefined` is as if it were not
 * there.
 */
export function checkSettings(settings: Settings): void {
  const place = 'new Api(app, settings)'
  if (optionsIn(settings) !== settings)
    throw new TypeError(`${place}: settings must be an object, not ${shown(settings)}`)
  const known = Object.entries(settings).filter(([name]) => Object.hasOwn(SETTING_RULES, name))
  requireOptions<Settings>(place, Object.fromEntries(known), SETTING_RULES)
}

/**
 * Settings may be a whole configuration, so only what is named like one of ours is looked at, and
 * only warned of.
 */
export function unknownSettings(settings: object): readonly string[] {
  const names = Object.keys(SETTING_RULES)
  return Object.keys(settings)
    .filter(name => /^(?:API|OPENAPI|ETAG)_/.test(name) && !names.includes(name))
    .map(name => `there is no setting ${name}${suggestion(name, names)}`)
}
