// Further representations of a response: `response(codec, { also: [...] })`.
import type { SelectedRepresentation } from '../../feature-api/exchange.js'
import type { Part, Representation, Route } from '../../feature-api/feature.js'
import { preferred } from '../../http/accept.js'
import { Refusal } from '../../http/failure.js'
import { essenceOf, isJsonType, parseMediaType, sentAs } from '../../http/media-type.js'
import { shown } from '../../names.js'
import type { Rule } from '../../options.js'

/** A representation of any value. */
type AnyRepresentation = Representation<never>

export const alsoRule: Rule = {
  text: 'a list of representations, such as csv()',
  fits: value =>
    Array.isArray(value) &&
    value.every(one => typeof one?.mediaType === 'string' && typeof one.write === 'function'),
}

/** Returns the suffix of the entity tags of a representation. */
export function suffixOf({ mediaType, tag }: AnyRepresentation): string {
  return tag ?? `${essenceOf(mediaType).split('/')[1]}`
}

/**
 * Returns the part that negotiates: it selects the representation that the client prefers, or
 * refuses with 406. JSON, of this media type, comes first.
 */
export function negotiatePart(
  route: Route,
  json: string,
  also: readonly AnyRepresentation[],
): Part {
  checkTypes(route, json, also)
  const selected = new Map(also.map(one => [one.mediaType, select(route, one)]))
  const all = [json, ...selected.keys()]
  const refusal = new Refusal(406, { message: `The media types are ${all.join(', ')}.` })
  return {
    stage: 'negotiate',
    step(exchange) {
      const mediaType = preferred(exchange.ctx.req.headers.accept, all)
      if (mediaType === undefined) return refusal
      exchange.representation = selected.get(mediaType)
      return undefined
    },
    docs: schemas => ({ responses: { 406: schemas.errorResponse(406) } }),
  }
}

function select(route: Route, representation: AnyRepresentation): SelectedRepresentation {
  const { mediaType, write, on } = representation
  return {
    mediaType: sentAs(mediaType),
    suffix: suffixOf(representation),
    write: (on?.(route) ?? write.bind(representation)) as SelectedRepresentation['write'],
  }
}

function checkTypes(route: Route, json: string, also: readonly AnyRepresentation[]): void {
  if (!isJsonType(json)) route.fault(`also is for results that are sent as JSON, not as ${json}`)
  const types = [essenceOf(json)]
  const suffixes: string[] = []
  for (const one of also) {
    const { mediaType } = one
    if (!parseMediaType(mediaType) || mediaType.includes('*'))
      route.fault(`also: mediaType must be a media type such as text/csv, not ${shown(mediaType)}`)
    else if (types.includes(essenceOf(mediaType)))
      route.fault(`also: there are two representations of ${essenceOf(mediaType)}`)
    types.push(essenceOf(mediaType))
    const suffix = suffixOf(one)
    if (!/^[\w.+-]+$/.test(suffix))
      route.fault(
        `also: the tag of ${mediaType} must be made of letters, digits, ".", "+", "-" and "_", not ${shown(suffix)}`,
      )
    else if (suffixes.includes(suffix))
      route.fault(
        `also: ${mediaType} has the tag "${suffix}" of another representation: give it one of its own, { tag: '…' }`,
      )
    suffixes.push(suffix)
  }
}
