import type { OAuthFlowsObject } from 'openapi3-ts/oas32'
import { optionsIn, shown } from '../../names.js'
import { checkOptions } from './check-options.js'
import type { Scheme, ScopedScheme } from './scheme.js'
import { scoped } from './scoped.js'

/** Options of `oauth2`. */
export interface OAuth2Options<P, Refusals extends number = number> {
  /** The flows by which clients get tokens, for the document. */
  readonly flows: OAuthFlowsObject
  /** The scheme that verifies the tokens: `jwt(…)` or `bearer(…)`. */
  readonly token: Scheme<P, Refusals>
  readonly description?: string
}

/** Tokens of an OAuth 2 server: the document describes how to get one, and another scheme verifies them. */
export function oauth2<P, Refusals extends number>(
  name: string,
  options: OAuth2Options<P, Refusals>,
): ScopedScheme<P, Refusals> {
  checkOptions('oauth2', name, options, ['flows', 'token', 'description'])
  const { flows, token, description } = options
  if (optionsIn(flows) !== flows)
    throw new TypeError(
      `oauth2(${shown(name)}): flows are an object, { clientCredentials: { … } }, not ${shown(flows)}`,
    )
  checkToken('oauth2', name, token)
  return scoped({
    ...token,
    name,
    document: { type: 'oauth2', flows, ...(description !== undefined && { description }) },
  })
}

/** Options of `openIdConnect`. */
export interface OpenIdConnectOptions<P, Refusals extends number = number> {
  /** The address of the provider's configuration: `https://id.example/.well-known/openid-configuration`. */
  readonly url: string | URL
  /** The scheme that verifies the tokens: `jwt(…)`, with the keys of the provider. */
  readonly token: Scheme<P, Refusals>
  readonly description?: string
}

/** Tokens of an OpenID Connect provider: the document refers to its configuration, and another scheme verifies them. */
export function openIdConnect<P, Refusals extends number>(
  name: string,
  options: OpenIdConnectOptions<P, Refusals>,
): ScopedScheme<P, Refusals> {
  checkOptions('openIdConnect', name, options, ['url', 'token', 'description'])
  const { url, token, description } = options
  if (!URL.canParse(String(url)))
    throw new TypeError(
      `openIdConnect(${shown(name)}): url is the address of the configuration, not ${shown(url)}`,
    )
  checkToken('openIdConnect', name, token)
  const document = {
    type: 'openIdConnect',
    openIdConnectUrl: String(url),
    ...(description !== undefined && { description }),
  } as const
  return scoped({ ...token, name, document })
}

function checkToken(kind: string, name: string, token: unknown): void {
  if (typeof Object(token).authenticate !== 'function')
    throw new TypeError(
      `${kind}(${shown(name)}): token is the scheme that verifies tokens, jwt(…) or bearer(…), not ${shown(token)}`,
    )
}
