import Koa from 'koa'
import type { Api } from 'koa-smorest'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { streams } from '../../examples/contracts/callbacks-and-webhooks.js'
import { fileUploads, formData } from '../../examples/contracts/forms-and-files.js'
import { linkExample } from '../../examples/contracts/link-example.js'
import { mediaTypes } from '../../examples/contracts/media-types.js'
import { parametersStyle } from '../../examples/contracts/parameters-style.js'
import { petstore } from '../../examples/contracts/petstore.js'
import { security } from '../../examples/contracts/security.js'
import { trainTravel } from '../../examples/contracts/train-travel.js'
import { createShop } from '../../examples/pet-shop/app.js'
import { booksApi } from '../../examples/standard/app.js'
import { api as tsoa } from '../../examples/tsoa/app.js'
import { createTypedReference } from '../reference/application.js'

// `PathsOf` and what openapi-typescript generates from the document, compared by the compiler:
// `compilers.spec.ts` writes these programs into `generated`.

interface Compared {
  readonly api: Pick<Api, 'spec'>
  /** The type of the api, for a program in `generated`. */
  readonly type: string
  /** The places where the two differ, by reason; `*` is anything. */
  readonly but?: Readonly<Record<string, readonly string[]>>
}

const UPLOADS = 'a client sends a Blob, which the generator types as a string'
const WRITTEN = 'a field that is only written: the generator has one type for both directions'
const BY_HAND = 'documentation that is written by hand'
const UNDEFINED = 'what is optional to zod may be undefined, which JSON leaves out'

const contracts = '../../../examples/contracts'
const nothing = () => undefined

const COMPARED: Readonly<Record<string, Compared>> = {
  shop: {
    api: createShop({} as never).api,
    type: "ReturnType<typeof import('../../../examples/pet-shop/app.js').createShop>['api']",
    but: {
      [UPLOADS]: ['/pets/{petId}/picture put requestBody content multipart/form-data picture'],
      [WRITTEN]: ['/subscriptions/* content application/json* secret'],
      'the generator does not know the items of streams': [
        '/pets/export get responses 200 content application/jsonl',
        '/orders/events get responses 200 content text/event-stream',
      ],
    },
  },
  reference: {
    api: createTypedReference(),
    type: "ReturnType<typeof import('../../reference/application.js').createTypedReference>",
    but: {
      [UPLOADS]: ['/args/files* requestBody content multipart/form-data *'],
      [WRITTEN]: ['* content application/json* secret', '* content application/json* hidden'],
      [BY_HAND]: [
        '* content application/json* label',
        '/responses/documented get responses 404 content*',
        '/docs-only/shared/{shared_id} *query*',
      ],
      'what a prepareResponseContent makes, and class attributes': [
        '/wrapped/thing * application/json*',
        '/pages-named/list/{total} * headers',
        '/pages-none/list/{total} * headers',
      ],
    },
  },
  petstore: {
    api: petstore('sesame', 'sesame key'),
    type: `ReturnType<typeof import('${contracts}/petstore.js').petstore>`,
    but: {
      [UPLOADS]: ['/pet/{petId}/uploadImage post requestBody content multipart/form-data file'],
    },
  },
  formData: {
    api: formData('sesame'),
    type: `ReturnType<typeof import('${contracts}/forms-and-files.js').formData>`,
  },
  fileUploads: {
    api: fileUploads(nothing),
    type: `ReturnType<typeof import('${contracts}/forms-and-files.js').fileUploads>`,
    but: {
      [UPLOADS]: [
        '/anything/image-png post requestBody content image/png',
        '/anything/multipart-formdata * requestBody content multipart/form-data *',
      ],
    },
  },
  linkExample: {
    api: linkExample([]),
    type: `ReturnType<typeof import('${contracts}/link-example.js').linkExample>`,
  },
  trainTravel: {
    api: trainTravel({
      scopesOf: nothing,
      limiter: new RateLimiterMemory({ points: 1, duration: 1 }),
      stations: [],
      trips: [],
      newId: () => '',
    }),
    type: `ReturnType<typeof import('${contracts}/train-travel.js').trainTravel>`,
    but: {
      [WRITTEN]: ['/bookings/{bookingId}/payment post responses 200 content * source'],
      [BY_HAND]: [
        '* responses 20* content application/xml',
        '* content application/problem+json *',
        '* responses * headers',
      ],
    },
  },
  parametersStyle: {
    api: parametersStyle(nothing),
    type: `ReturnType<typeof import('${contracts}/parameters-style.js').parametersStyle>`,
  },
  security: {
    api: security('sesame'),
    type: `ReturnType<typeof import('${contracts}/security.js').security>`,
    but: {
      'a key in the query is in no Vary, but its type does not say where a key is': [
        '/anything/apiKey get responses * headers',
        '/anything/optional-auth get responses * headers',
      ],
    },
  },
  mediaTypes: {
    api: mediaTypes({}),
    type: `ReturnType<typeof import('${contracts}/media-types.js').mediaTypes>`,
  },
  streams: {
    api: streams(() => ''),
    type: `ReturnType<typeof import('${contracts}/callbacks-and-webhooks.js').streams>`,
  },
  books: {
    api: booksApi(new Koa(), new Map()),
    type: "ReturnType<typeof import('../../../examples/standard/app.js').booksApi>",
    but: { [UNDEFINED]: ['* tag?', '* since?', '* published?', '* tags?'] },
  },
  tsoa: {
    api: tsoa,
    type: "typeof import('../../../examples/tsoa/app.js').api",
    but: { [UPLOADS]: ['/pets/{petId}/picture post requestBody content multipart/form-data file'] },
  },
}

/**
 * Programs by file name: the paths that openapi-typescript generates for each API, and one without
 * errors if ours differ in the listed places, and only there.
 */
export async function comparison(): Promise<ReadonlyMap<string, string>> {
  const programs = new Map<string, string>()
  const lines = [
    "import type { PathsOf } from 'koa-smorest'",
    "import type { Outdated, Unexpected } from '../difference.js'",
  ]
  for (const [name, { api, type, but = {} }] of Object.entries(COMPARED)) {
    const nodes = await openapiTypescript(api.spec.toJSON() as never, { defaultNonNullable: false })
    programs.set(`${name}.ts`, astToString(nodes))
    const places = Object.values(but)
      .flat()
      .map(place => `\` ${place.replaceAll('*', '$' + '{string}')}\``)
    const both = `PathsOf<${type}>, import('./${name}.js').paths, ${places.join(' | ') || 'never'}`
    lines.push(
      `export const ${name}Differs: never = undefined as never as Unexpected<${both}>`,
      `export const ${name}IsOutdated: never = undefined as never as Outdated<${both}>`,
    )
  }
  return programs.set('compare.ts', lines.join('\n'))
}
