import type { Sound } from '../support/sound.js'
import { createReference } from './application.js'
import { SOUND_BLUEPRINTS } from './attack.js'
import { items, pets } from './state.js'

/** The reference application without what it does wrong on purpose, and how to test it. */
export function soundReference(): Sound {
  const { app, api } = createReference({ OPENAPI_VERSION: '3.1.0' }, SOUND_BLUEPRINTS)
  app.on('error', () => undefined)
  const reset = () => {
    pets.reset()
    items.reset()
  }
  const skip: { operation: string; check?: string; reason: string }[] = [
    ...['GET /etags/response-object', 'GET /etags/response-object-unset'].map(operation => ({
      operation,
      reason: 'it sends a text, on purpose, where JSON is documented',
    })),
    ...[
      '/responses/tuple-headers',
      '/responses/tuple-header-list',
      '/pages/headers/{total}',
      '/etags/rev/{rev}',
      '/etags-headers/rev/{rev}',
    ].map(path => ({
      operation: `GET ${path}`,
      check: 'undocumented header field',
      reason: 'the original documents no header fields either',
    })),
  ]
  for (const kind of ['separate', 'arbitrary', 'explicit'])
    skip.push({
      operation: `GET /etags/${kind}/{item_id}`,
      check: 'law: tags',
      reason: 'the tag leaves out how often a thing was read, on purpose',
    })
  skip.push({
    operation: 'GET /methods/custom-head-options',
    check: 'law: head',
    reason: 'its HEAD is another one, on purpose',
  })
  // its converter reads hexadecimal digits, of which the document does not tell
  const values = { 'GET /convert/hex/{value} path.value': ['1f', 'ff'] }
  const unreachable = {
    'POST /pets/ 412': 'a POST without a loader compares nothing',
    'POST /etags/items 412': 'a POST without a loader compares nothing',
    'GET /responses/documented 404': 'documented by hand, and never sent',
  }
  return { app, api, options: { reset, skip, unreachable, values } }
}
