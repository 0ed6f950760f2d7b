import type { AnyBlueprint, Blueprint } from 'koa-smorest'
import { BLUEPRINTS } from './application.js'

// nothing but errors; and answers of another form than documented
const BLUEPRINTS_LEFT_OUT = ['errors', 'wrapped']

const RULES_LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  responses: [
    // results that are faults
    '/none-schema',
    '/tuple-one',
    '/tuple-four',
    // statuses that are not declared
    '/tuple-status',
    '/tuple-enum',
    '/tuple-string',
    '/tuple-all',
    '/object',
    '/object-tuple',
    // null, where the document has a string
    '/many',
    // refuses a valid request
    '/abort-404',
  ],
  pages: ['/status/:total<int>', '/all/:total<int>'],
  // answers the name of its method, so its HEAD is not that of its GET
  methods: ['/two'],
  // lets every If-Match pass
  etags: ['/unchecked/:item_id<int>'],
}

/**
 * The Blueprints without the views that do, on purpose, what a server that is held against its
 * document must not do.
 */
export const SOUND_BLUEPRINTS: readonly AnyBlueprint[] = BLUEPRINTS.filter(
  ({ name }) => !BLUEPRINTS_LEFT_OUT.includes(name),
).map(blueprint => {
  const rules = RULES_LEFT_OUT[blueprint.name] ?? []
  const declarations = blueprint.declarations.filter(
    declaration => !('rule' in declaration && rules.includes(declaration.rule)),
  )
  return Object.assign(Object.create(blueprint) as AnyBlueprint, {
    declarations,
    constructor: withFurthestPage(blueprint),
  })
})

/**
 * The Blueprint's class attributes, with a limit for page numbers: the original has none, and who
 * attacks asks for page 10^25.
 */
function withFurthestPage(blueprint: AnyBlueprint): object {
  const attributes = blueprint.constructor as typeof Blueprint
  const DEFAULT_PAGINATION_PARAMETERS = {
    ...attributes.DEFAULT_PAGINATION_PARAMETERS,
    maxPage: 1_000_000,
  }
  return Object.assign(Object.create(attributes) as object, { DEFAULT_PAGINATION_PARAMETERS })
}
