// The parts that numbered pages and keysets share: the names of their parameters, and the object
// around the rows of a page.
import type { Shape } from '../codec/shape/shape.js'
import { shapeOf } from '../codec/shape/shape-of.js'
import { fieldsOf } from '../codec/traits/fields-of.js'
import { defined, isString, type Rule } from '../options.js'
import { mainStatuses, type Route } from './feature.js'

/** The pages around a page, as relative references: those that there are. */
export type PageLinks = {
  readonly [Relation in 'first' | 'prev' | 'next' | 'last']?: string
}

/** The options for an object around the rows of a page. */
export interface EnvelopeOptions<Page> {
  /** The field of the response that has the rows, as the program calls it. Goes with `wrap`. */
  readonly items?: string
  /** Makes the response of the rows of a page. Goes with `items`. */
  wrap?(items: readonly unknown[], page: Page): object
}

/**
 * The typing of a list whose pages are wrapped: how it is paged, the field with the rows, and what
 * `wrap` returns.
 */
export interface Enveloped<By, Items, Wrapped> {
  readonly by: By
  readonly items: Items
  readonly wrapped: Wrapped
}

/** The typing of a list that is paged `By` something, with these options. */
export type PagedWith<By, Options> = Options extends {
  readonly items: infer Items
  wrap(...given: never[]): infer Wrapped
}
  ? Enveloped<By, Items, Wrapped>
  : By

/** The `Link` field of a list, which is always sent beside own names and envelopes. */
export type LinkWire<Options> = Options extends
  | { readonly names: object }
  | { wrap(...given: never[]): unknown }
  ? { Link?: string }
  : unknown

/** The name of a parameter: the given one, or the default. */
export type NameIn<Options, Key extends string, Default extends string> = Options extends {
  readonly names: { readonly [K in Key]: infer Name extends string }
}
  ? Name
  : Default

export const namesRule: Rule = {
  text: "an object of names, such as { pageSize: 'limit' }",
  fits: value =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(name => name === undefined || (isString(name) && name !== '')),
}

/**
 * The names of parameters: those given, and defaults for the others. Reports names that are not
 * known, and one that two parameters have.
 */
export function parameterNames<Key extends string>(
  route: Route,
  place: string,
  defaults: Readonly<Record<Key, string>>,
  given: { readonly [K in Key]?: string | undefined } = {},
): Readonly<Record<Key, string>> {
  const known = Object.keys(defaults)
  for (const name of Object.keys(given))
    if (!known.includes(name))
      route.fault(`${place}: names may have ${known.join(', ')}, but not ${name}`)
  const names: Readonly<Record<Key, string>> = {
    ...defaults,
    ...defined(given as Record<Key, string>),
  }
  const all: readonly string[] = Object.values(names)
  const twice = all.find((name, index) => all.indexOf(name) !== index)
  if (twice !== undefined) route.fault(`${place}: two parameters are called "${twice}"`)
  return names
}

/**
 * The shape of the list in the response of an operation; undefined if the operation has no codec.
 * Reports `items` without `wrap`, and the other way round, and `items` that the response lacks.
 */
export function listIn(
  route: Route,
  place: string,
  { items, wrap }: EnvelopeOptions<never>,
): Shape | undefined {
  if ((items === undefined) !== (wrap === undefined))
    route.fault(`${place}: items and wrap go together: items names the field with the rows`)
  const codec = route.features.findLast(({ represents }) => represents)?.represents
  if (!codec || items === undefined) return codec && shapeOf(codec)
  const [fields, ...others] = fieldsOf(shapeOf(codec)) ?? []
  const field = others.length === 0 ? fields?.find(({ key }) => key === items) : undefined
  if (!field)
    route.fault(`${place}: items must name a field of response(${codec.name}), not "${items}"`)
  return field?.shape
}

/** Tells which statuses have results that are paged: those of the main response and other lists. */
export function pagedStatuses(route: Route): (status: number) => boolean {
  return mainStatuses(route, codec => canBeList(shapeOf(codec)))
}

export function canBeList(shape: Shape): boolean {
  switch (shape.kind) {
    case 'array':
    case 'tuple':
    case 'unknown':
    case 'opaque':
      return true
    case 'constrained':
    case 'standard':
      return canBeList(shape.base)
    case 'recursion':
      return canBeList(shape.target())
    case 'union':
      return shape.members.some(canBeList)
    case 'intersection':
      return shape.members.every(canBeList)
    default:
      return false
  }
}

interface Rows {
  /** The shape of a row; undefined if the operation has no codec. */
  readonly row: Shape | undefined
  /** Returns the rows in a value on the wire: the items of a list, or the value alone. */
  readonly in: (value: unknown) => readonly unknown[]
}

/** Finds the rows in the response of an operation, also if a feature wraps its pages. */
export function rowsOf({ features }: Pick<Route, 'features'>): Rows {
  const codec = features.findLast(({ represents }) => represents)?.represents
  const items = features.findLast(feature => feature.items !== undefined)?.items
  const whole = codec && shapeOf(codec)
  const field = whole && fieldsOf(whole)?.[0]?.find(({ key }) => key === items)
  const list = field?.shape ?? whole
  return {
    row: list && (itemOf(list) ?? list),
    in(value) {
      const rows = field ? (value as Readonly<Record<string, unknown>>)[field.name] : value
      return Array.isArray(rows) ? rows : [rows]
    },
  }
}

/** The shape of an item of a list; undefined if the shape is not a list. */
export function itemOf(shape: Shape): Shape | undefined {
  if (shape.kind === 'array') return shape.item
  return 'base' in shape ? itemOf(shape.base) : undefined
}
