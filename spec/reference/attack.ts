import type { AnyBlueprint } from 'koa-smorest'
import { BLUEPRINTS } from './application.js'

/** Views that do, on purpose, what a server that is held against its document must not do. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['/none-schema', '/tuple-one', '/tuple-four'].map(rule => `responses ${rule}`), // results that are faults: 500
  ...['/tuple-status', '/tuple-enum', '/tuple-string', '/tuple-all', '/object', '/object-tuple'].map(rule => `responses ${rule}`), // undeclared statuses
  'responses /many', // null, where the document has a string
  'pages /status/:total<int>', // undeclared statuses
  'pages /all/:total<int>',
  'etags /unchecked/:item_id<int>', // lets every If-Match pass
])
const LEFT_OUT_WHOLE: ReadonlySet<string> = new Set([
  'errors', // nothing but errors, uncaught ones too
  'wrapped', // answers another object than it documents
])

/** The Blueprints without the views that fail on purpose. */
export const SOUND_BLUEPRINTS: readonly AnyBlueprint[] = BLUEPRINTS.filter(({ name }) => !LEFT_OUT_WHOLE.has(name)).map(blueprint => {
  const declarations = blueprint.declarations.filter(one => !('rule' in one && LEFT_OUT.has(`${blueprint.name} ${one.rule}`)))
  return Object.assign(Object.create(blueprint) as AnyBlueprint, { declarations })
})
