/**
 * The source of the files of a page's user interface: a folder or a script of this package, or
 * elsewhere.
 */
export interface PageSource {
  /** The URL of the script; undefined: the one in this package. */
  readonly script?: string
  /** The URL of the style sheet, if it has one. */
  readonly style?: string
  /** The URL of the script to which an identity provider returns, if it has one. */
  readonly redirectScript?: string
  /** The source that a Content-Security-Policy must admit: `'self'`, or the origin. */
  readonly origin: string
  /** A warning to log at start. */
  readonly warning?: string
}

const OWN: PageSource = { origin: "'self'" }

/**
 * Swagger UI from this package, from a folder (or its script), or in a version from its CDN, whose
 * URL is used unchanged.
 */
export function swaggerSource(
  url: string | null | undefined,
  version: string | null | undefined,
): PageSource {
  if (url == null && version == null) return OWN
  const given =
    url == null
      ? `https://cdnjs.cloudflare.com/ajax/libs/swagger-ui/${version}/`
      : checked('OPENAPI_SWAGGER_UI_URL', url)
  const folder = /\.js$/.test(given)
    ? given.slice(0, given.lastIndexOf('/') + 1)
    : given.replace(/\/*$/, '/')
  const script = /\.js$/.test(given) ? given : `${folder}swagger-ui-bundle.js`
  return {
    script,
    style: `${folder}swagger-ui.css`,
    redirectScript: `${folder}oauth2-redirect.js`,
    origin: originOf(given),
    ...(url == null && warned('OPENAPI_SWAGGER_UI_VERSION', version)),
  }
}

/**
 * ReDoc from this package, from a script, or in a version from its CDN: `latest` and `v1…` are
 * ReDoc 1, anything else is ReDoc 2.
 */
export function redocSource(
  url: string | null | undefined,
  version: string | null | undefined,
): PageSource {
  if (url == null && version == null) return OWN
  const script = url == null ? redocScript(version ?? '') : checked('OPENAPI_REDOC_URL', url)
  return {
    script,
    origin: originOf(script),
    ...(url == null && warned('OPENAPI_REDOC_VERSION', version)),
  }
}

function redocScript(version: string): string {
  return version === 'latest' || version.startsWith('v1')
    ? `https://rebilly.github.io/ReDoc/releases/${version}/redoc.min.js`
    : `https://cdn.jsdelivr.net/npm/redoc@${version}/bundles/redoc.standalone.js`
}

function warned(setting: string, version: string | null | undefined): Pick<PageSource, 'warning'> {
  if (version !== 'latest' && version !== 'next') return {}
  return {
    warning: `${setting} is "${version}", which may be something else any day: name a version, or none for the files of this package`,
  }
}

/** A web address or an absolute path; anything else (`javascript:`, `//host`) is refused. */
function checked(setting: string, url: string): string {
  const isPath = /^\/(?!\/)[^\s"'<>\\]*$/.test(url)
  if (!isPath && !/^https?:\/\/[^\s"'<>\\]+$/.test(url))
    throw new TypeError(
      `${setting} is "${url}": it must be an http(s) address or a path that starts with one slash`,
    )
  return url
}

function originOf(url: string): string {
  return url.startsWith('/') ? "'self'" : new URL(url).origin
}
