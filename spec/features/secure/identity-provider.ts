// An identity provider on loopback: signs tokens, serves its keys, and fails in the ways in which
// one can.
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { MARK } from '../../support/credential-leaks.js'

/** How the keys are served. */
export type Mode =
  | 'well'
  | 'slowly'
  | 'broken'
  | 'as HTML'
  | 'as no set'
  | 'as an empty set'
  | 'elsewhere'
  | 'in halves'

export class IdentityProvider {
  mode: Mode = 'well'
  /** How often the keys were asked for. */
  requests = 0
  readonly issuer = 'https://id.example'
  readonly audience = 'shop'
  readonly #keys = new Map<string, GenerateKeyPairResult>()
  #server: Server | undefined
  #port = 0

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider()
    await provider.rotate('first')
    await provider.up()
    return provider
  }

  get jwks(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/jwks.json`)
  }

  /** Serves this key from now on, and none of those before it. */
  async rotate(kid: string): Promise<void> {
    const pair = await generateKeyPair('RS256')
    this.#keys.clear()
    this.#keys.set(kid, pair)
  }

  /**
   * A token of the current key; claims and header fields given here win, undefined leaves one out.
   */
  async token(claims: JWTPayload = {}, header: object = {}): Promise<string> {
    const [kid, { privateKey }] = [...this.#keys][0] as [string, GenerateKeyPairResult]
    const now = Math.floor(Date.now() / 1000)
    const payload = JSON.parse(
      JSON.stringify({
        iss: this.issuer,
        aud: this.audience,
        sub: 'ann',
        jti: MARK,
        iat: now,
        exp: now + 60,
        ...claims,
      }),
    )
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid, ...header })
      .sign(privateKey)
  }

  /** The public key as the client has it, for those who sign with it what they should not. */
  async publicJwk() {
    const [kid, { publicKey }] = [...this.#keys][0] as [string, GenerateKeyPairResult]
    return { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  }

  async up(): Promise<void> {
    this.#server = createServer((_request, response) => void this.#respond(response)).listen(
      this.#port,
      '127.0.0.1',
    )
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async down(): Promise<void> {
    this.#server?.closeAllConnections()
    this.#server?.close()
    this.#server = undefined
  }

  async #respond(response: ServerResponse): Promise<void> {
    this.requests++
    const set = JSON.stringify({ keys: [await this.publicJwk()] })
    response.setHeader('Connection', 'close')
    if (this.mode === 'slowly') return
    if (this.mode === 'broken') response.writeHead(500).end('oops')
    else if (this.mode === 'elsewhere')
      response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()
    else if (this.mode === 'as HTML')
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Login</h1>')
    else if (this.mode === 'as no set') response.end('{"keys":"none"}')
    else if (this.mode === 'as an empty set') response.end('{"keys":[]}')
    else if (this.mode === 'in halves')
      response.writeHead(200, { 'Content-Length': set.length }).write(set.slice(0, 20))
    else response.end(set)
  }
}
