// What the page of Swagger UI brings besides Swagger UI itself.

/** The script that starts Swagger UI; its `data-` attributes say with what. Dark where the system is, from one moment to the next. */
export const SWAGGER_UI_INITIALIZER = `const { document: url, methods, config } = document.currentScript.dataset
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  deepLinking: true,
  validatorUrl: null,
  supportedSubmitMethods: methods.split(' ').filter(Boolean),
  ...JSON.parse(config),
  url,
  dom_id: '#swagger-ui',
  queryConfigEnabled: false,
})
`

/** What the style sheet of Swagger UI leaves undone: tables wider than a phone, and a name that is dark on dark. */
export const SWAGGER_UI_STYLE = `body { margin: 0 }
.swagger-ui .responses-inner { overflow-x: auto }
html.dark-mode .swagger-ui table.headers .header-col { color: #e4e6e6 }
`

/** What the page decides itself: which document is shown and where. A document that the query names could be anybody's (T56). */
const FIXED = ['url', 'urls', 'spec', 'configUrl', 'dom_id', 'domNode', 'queryConfigEnabled']

/** `OPENAPI_SWAGGER_UI_CONFIG` as JSON. Throws a TypeError where an option is fixed or no JSON. */
export function swaggerConfig(
  config: Readonly<Record<string, unknown>> | null | undefined,
): string {
  for (const [name, value] of Object.entries(config ?? {})) {
    if (FIXED.includes(name))
      throw new TypeError(
        `OPENAPI_SWAGGER_UI_CONFIG sets ${name}, which the page decides itself: leave it out`,
      )
    if (!isJson(value))
      throw new TypeError(
        `OPENAPI_SWAGGER_UI_CONFIG.${name} holds what JSON does not have, such as a function: options are sent to the browser as JSON`,
      )
  }
  return JSON.stringify(config ?? {})
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return false
  if (Array.isArray(value)) return value.every(isJson)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson)
}
