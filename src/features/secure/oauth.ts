import type { OAuthFlowsObject } from 'openapi3-ts/oas32'
import { object, type Rule, required, string } from '../../options.js'
import { checkScheme } from './check-options.js'
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

/**
 * Tokens of an OAuth 2 server: the document describes how to get one, and another scheme verifies
 * them.
 */
export function oauth2<P, Refusals extends number>(
  name: string,
  options: OAuth2Options<P, Refusals>,
): ScopedScheme<P, Refusals> {
  checkScheme('oauth2', name, options, {
    flows: required({ ...object, text: 'an object such as { clientCredentials: { … } }' }),
    token: TOKEN,
    description: string,
  })
  const { flows, token, description } = options
  return scoped({
    ...token,
    name,
    document: { type: 'oauth2', flows, ...(description !== undefined && { description }) },
  })
}

/** Options of `openIdConnect`. */
export interface OpenIdConnectOptions<P, Refusals extends number = number> {
  /**
   * The address of the provider's configuration:
   * `https://id.example/.well-known/openid-configuration`.
   */
  readonly url: string | URL
  /** The scheme that verifies the tokens: `jwt(…)`, with the keys of the provider. */
  readonly token: Scheme<P, Refusals>
  readonly description?: string
}

/**
 * Tokens of an OpenID Connect provider: the document refers to its configuration, and another
 * scheme verifies them.
 */
export function openIdConnect<P, Refusals extends number>(
  name: string,
  options: OpenIdConnectOptions<P, Refusals>,
): ScopedScheme<P, Refusals> {
  checkScheme('openIdConnect', name, options, {
    url: required({
      text: "the address of the provider's configuration",
      fits: value => URL.canParse(String(value)),
    }),
    token: TOKEN,
    description: string,
  })
  const { url, token, description } = options
  const document = {
    type: 'openIdConnect',
    openIdConnectUrl: String(url),
    ...(description !== undefined && { description }),
  } as const
  return scoped({ ...token, name, document })
}

const TOKEN: Rule = required({
  text: 'the scheme that verifies tokens, jwt(…) or bearer(…)',
  fits: value => typeof Object(value).authenticate === 'function',
})
