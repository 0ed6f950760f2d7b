import { randomUUID } from 'node:crypto'
import type * as t from 'io-ts'
import type { ParameterObject, PathItemObject } from 'openapi3-ts/oas32'
import { EncodeError, writerOf } from '../../codec/encode/encode.js'
import { faultsOf } from '../../codec/encode/faults.js'
import { requireCodec } from '../../codec/shape/annotations.js'
import type { BareSchema } from '../../codec/types/standard-type.js'
import type { OutputOf } from '../../codec/types/types.js'
import type { Feature } from '../../feature-api/feature.js'
import { SECRETS, webhookFields, webhookKeys } from '../../http/standard-webhooks.js'
import { shown } from '../../names.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import {
  defined,
  flag,
  isString,
  milliseconds,
  PERIOD,
  type Period,
  type Rules,
  requireOptions,
  string,
  strings,
} from '../../options.js'
import { post } from './post.js'

/** Documentation of a webhook. */
export interface WebhookOptions {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
}

/** Options of `send`. */
export interface SendOptions {
  /**
   * The secret that is shared with the subscriber, in base64, with or without `whsec_`; several
   * while it is rotated, with one signature each.
   */
  readonly secret: string | readonly string[]
  /**
   * Names the event, in visible ASCII characters: a subscriber that gets it twice knows it by this.
   * Send it again with the same one. Default: a random one.
   */
  readonly id?: string
  /** How long the subscriber may take to respond. Default `'15s'`. */
  readonly timeout?: Period
  /**
   * Whether it may be sent to private, loopback, link-local and all other addresses that are not of
   * the public internet. Default false, since subscribers choose the URL.
   */
  readonly allowPrivate?: boolean
}

/** A request that the application sends to those who have subscribed to it. */
export interface Webhook<Name extends string = string, C extends t.Mixed = t.Mixed> {
  readonly name: Name
  readonly codec: C
  /**
   * Sends an event: a POST of its JSON, encoded by the codec, signed as Standard Webhooks
   * specifies. Returns the response, even with an error status, with at most 64 KiB of its body.
   * A redirect is not followed.
   *
   * Rejects without sending if the event does not fit its codec, a secret is empty or not base64,
   * the URL is not one of http or https, or an address of its host is not public. Rejects if the
   * connection fails, or if there is no response in time. No message contains a secret.
   */
  send(url: string | URL, event: OutputOf<C>, options: SendOptions): Promise<Response>
}

/**
 * Declares a webhook: its name, and the codec of its events. `api.registerWebhook` documents it,
 * `callback` documents the operation that subscribes to it, and its method `send` sends an event.
 * Throws a TypeError for a name that is empty, for anything that is not a codec, and for unknown
 * options.
 */
export function webhook<const Name extends string, C extends t.Mixed>(
  name: Name,
  codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  options: WebhookOptions = {},
): Webhook<Name, C> {
  const place = `webhook(${shown(name)})`
  if (!isString(name) || name === '')
    throw new TypeError(`${place}: the name must be a string that is not empty`)
  requireCodec(`${place} takes`, codec)
  requireOptions(place, options, RULES)
  return new DeclaredWebhook(name, codec as C, options)
}

/** The result of `webhook`, with the members that only this library uses. */
export class DeclaredWebhook<Name extends string = string, C extends t.Mixed = t.Mixed>
  implements Webhook<Name, C>
{
  readonly #write: (event: unknown) => string

  constructor(
    readonly name: Name,
    readonly codec: C,
    private readonly documentation: WebhookOptions,
  ) {
    this.#write = writerOf(codec)
  }

  async send(url: string | URL, event: OutputOf<C>, options: SendOptions): Promise<Response> {
    const place = `webhook(${shown(this.name)}).send`
    requireOptions(place, options, SEND_RULES)
    const { secret, id = `msg_${randomUUID()}`, timeout = '15s', allowPrivate = false } = options
    const keys = webhookKeys(place, secret)
    const body = this.#encode(event, place)
    if (!URL.canParse(String(url))) throw new TypeError(`${place}: the URL must be an absolute one`)
    try {
      return await post(new URL(url), {
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'koa-smorest',
          ...webhookFields(keys, id, body),
        },
        body,
        timeout: milliseconds(timeout) as number,
        allowPrivate,
      })
    } catch (error) {
      if (error instanceof Error) error.message = `${place}: ${error.message}`
      throw error
    }
  }

  #encode(event: unknown, place: string): string {
    try {
      return this.#write(event)
    } catch (error) {
      if (!(error instanceof EncodeError)) throw error
      const { path, expected } = error
      const at = path === '' ? '' : ` at ${path}`
      throw new TypeError(`${place}: the event does not fit its codec${at}: expected ${expected}`)
    }
  }

  /** Faults of the codec, which affect every event. */
  get faults(): readonly string[] {
    return faultsOf(this.codec, 'output')
  }

  /** Describes the request. Throws a SchemaError if the codec cannot be documented. */
  describe(schemas: Schemas): PathItemObject {
    const { summary, description, tags, deprecated } = this.documentation
    const schema = schemas.of(this.codec, {
      direction: 'output',
      where: `webhook(${shown(this.name)})`,
    })
    return {
      post: defined({
        tags: tags && [...tags],
        summary,
        description,
        deprecated,
        // the document may have a requirement for all operations, which are those of clients
        security: [],
        parameters: [...FIELDS],
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: {
          204: { description: 'The event has arrived. Any other 2xx has the same meaning' },
        },
      }),
    }
  }
}

const RULES: Rules<WebhookOptions> = {
  summary: string,
  description: string,
  tags: strings,
  deprecated: flag,
}

const SEND_RULES: Rules<SendOptions> = {
  secret: SECRETS,
  id: {
    text: 'a string of visible ASCII characters',
    fits: value => isString(value) && /^[\x21-\x7e]+$/.test(value),
  },
  timeout: PERIOD,
  allowPrivate: flag,
}

const FIELDS: readonly ParameterObject[] = [
  ['webhook-id', 'Names the event: it is the same whenever the event is sent again'],
  ['webhook-timestamp', 'When the request was signed, in seconds since 1970'],
  ['webhook-signature', 'HMAC-SHA-256 of id, time and body, as Standard Webhooks specifies'],
].map(([name = '', description = '']) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: name === 'webhook-timestamp' ? 'integer' : 'string' },
}))

/**
 * Documents that a successful call subscribes to a webhook: `callback('onChange',
 * '{$request.body#/url}', jobChanged)`. The expression finds the URL in the request; one that leads
 * to a field, or to a parameter of the query or path, that the operation does not have is a fault.
 * It changes nothing else: the application keeps the URL, and calls `send`.
 */
export function callback(
  name: string,
  expression: string,
  webhook: Pick<Webhook, 'name' | 'codec'>,
): Feature<Record<never, never>> {
  return {
    on(route) {
      if (!isString(name) || name === '' || !isString(expression) || expression === '')
        route.fault(
          `callback: its name and expression must be strings that are not empty, not ${shown(name)} and ${shown(expression)}`,
        )
      if (!(webhook instanceof DeclaredWebhook)) {
        route.fault(
          `callback(${shown(name)}): the third argument must be the result of webhook(…), not ${shown(webhook)}`,
        )
        return []
      }
      for (const fault of webhook.faults) route.fault(`callback(${shown(name)}): ${fault}`)
      return [
        {
          stage: 'access',
          docs: schemas => ({
            manual: { callbacks: { [name]: { [expression]: webhook.describe(schemas) } } },
          }),
        },
      ]
    },
  }
}
