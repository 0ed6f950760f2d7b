// Checks the arguments of an operation when it is registered.
import { faultsOf } from '../../codec/encode/faults.js'
import type { Route } from '../../feature-api/feature.js'
import { type Location, READERS } from '../../feature-api/request-reader.js'
import type { BodyLimits } from '../../http/body/request-body.js'
import { parseMediaType } from '../../http/media-type.js'
import {
  anything,
  checkOptions,
  errorStatus,
  flag,
  func,
  limitFrom,
  object,
  oneOf,
  type Rules,
  string,
} from '../../options.js'
import {
  type ArgumentOptions,
  argumentsOf,
  contentTypeOf,
  type Declared,
  isBody,
  unknownOf,
} from './declaration.js'
import {
  hasUnnamedFields,
  inputFieldsOf,
  isFile,
  isObjectCodec,
  isStandardCodec,
  keysOf,
  requiredNamesOf,
  unsendableAsFile,
  unsendableAsText,
} from './fields.js'

const RULES: Rules<ArgumentOptions> = {
  location: oneOf(...Object.keys(READERS)),
  contentType: string,
  required: flag,
  description: string,
  example: anything,
  examples: object,
  unknown: oneOf('raise', 'exclude', 'include'),
  asKwargs: flag,
  errorStatusCode: errorStatus,
  limits: object,
  parse: func,
  style: oneOf('deepObject'),
}
const LIMITS: Rules<BodyLimits> = {
  json: limitFrom(0),
  form: limitFrom(0),
  fields: limitFrom(0),
  file: limitFrom(0),
  files: limitFrom(0),
  total: limitFrom(0),
  depth: limitFrom(0),
}

/** Reports the faults of one argument, including clashes of its names with those of the others. */
export function checkArgument(route: Route, declared: Declared): void {
  const { codec, options, location } = declared
  const { limits } = checkOptions(route, location, options, RULES)
  checkOptions(route, `${location}, limits`, limits, LIMITS)
  if (options.unknown !== undefined && isStandardCodec(codec))
    route.fault(
      `${location}: unknown does not go with std(schema): the schema decides about fields that it does not declare`,
    )
  if (options.example !== undefined && options.examples)
    route.fault(`${location}: an example or examples, not both`)
  for (const fault of faultsOf(codec, 'input', unknownOf(route, declared)))
    route.fault(`${location}: ${fault}`)
  // a custom reader may read the request as it likes
  if (route.attributes.ARGUMENTS_PARSER[location] === READERS[location])
    checkFields(route, declared)
  if (options.asKwargs) checkKwargs(route, declared)
  if (options.parse !== undefined && location !== 'json')
    route.fault(`${location}: parse belongs to json(…)`)
  if (options.style !== undefined && !canBeDeep(location))
    route.fault(`${location}: style belongs to query(…) and form(…)`)
}

const canBeDeep = (location: Location): boolean =>
  location === 'query' || location === 'querystring' || location === 'form'
const DEEP = ", or give the option style: 'deepObject'"
const INSTEAD = 'declare its fields one by one, or take it from a JSON body'

/**
 * Reports fields that can never be sent in this location: they would be ignored, or refused, in
 * every request.
 */
function checkFields(route: Route, { codec, options, location }: Declared): void {
  if (location === 'json') {
    const files = isObjectCodec(codec) ? inputFieldsOf(codec).filter(isFile) : []
    for (const { name } of files)
      route.fault(`json: "${name}" is a file, which JSON cannot hold: take it with files(…)`)
    return
  }
  if (!isObjectCodec(codec)) {
    // a parameter location reports this when it is documented
    if (isBody(location))
      route.fault(
        `${location}: the codec ${codec.name} is no object, by whose fields the body is read`,
      )
    return
  }
  if (location === 'files') {
    for (const { name } of unsendableAsFile(codec))
      route.fault(`files: "${name}" is no file: take it with form(…) beside files(…)`)
    return
  }
  const isDeep = options.style !== undefined
  for (const field of unsendableAsText(codec, isDeep)) {
    const why = isFile(field)
      ? 'is a file: take it with files(…)'
      : isDeep
        ? 'has a file inside: take it with files(…)'
        : `is an object, which has no form here: ${INSTEAD}${canBeDeep(location) ? DEEP : ''}`
    route.fault(`${location}: "${field.name}" ${why}`)
  }
  if (location === 'headers' && (hasUnnamedFields(codec) || options.unknown === 'include'))
    route.fault(
      'headers: fields are read by their names, so a codec of any names, or unknown: "include", finds none: name them',
    )
  if (location === 'path') {
    const names = route.rule.parameters.map(({ name }) => name)
    for (const name of requiredNamesOf(codec)) {
      if (!names.includes(name))
        route.fault(
          `path: the rule has no parameter "${name}"; it has ${names.join(', ') || 'none'}`,
        )
    }
  }
}

/** Reports names that are used twice: all named values are properties of one object. */
function checkKwargs(route: Route, declared: Declared): void {
  const { codec, location } = declared
  if (!isObjectCodec(codec)) {
    route.fault(`${location}: asKwargs spreads the fields of an object, which ${codec.name} is not`)
    return
  }
  const keys = keysOf(codec)
  for (const { name } of route.rule.parameters) {
    if (keys.includes(name))
      route.fault(
        `"${name}" is both a parameter of the path and a field of ${location}: give one of them another name, or leave asKwargs out`,
      )
  }
  const all = argumentsOf(route)
  for (const other of all.slice(0, all.indexOf(declared))) {
    for (const key of other.options.asKwargs ? keysOf(other.codec) : []) {
      if (keys.includes(key))
        route.fault(
          `"${key}" is a field of both ${other.location} and ${location} with asKwargs: give one another name`,
        )
    }
  }
}

/** `form` and `files` read one multipart body; any other two bodies cannot be one. */
export function checkBodies(route: Route, bodies: readonly Declared[]): void {
  const locations = bodies.map(({ location }) => location)
  const isOne =
    locations.length === 1 ||
    (locations.length === 2 && locations.includes('form') && locations.includes('files'))
  if (!isOne)
    route.fault(
      `${locations.join(' and ')} cannot be combined: one body is read, and only by form and files together, once each`,
    )
  for (const body of bodies) checkContentType(route, body, locations)
}

/**
 * The documented media type has to be the one that is read, unless the Blueprint has a custom
 * reader.
 */
function checkContentType(route: Route, declared: Declared, locations: readonly Location[]): void {
  const { location, options } = declared
  if (route.attributes.ARGUMENTS_PARSER[location] !== READERS[location]) return
  const type = contentTypeOf(route, declared)
  const essence = parseMediaType(type)?.essence
  if (essence === undefined || essence.includes('*'))
    route.fault(`${location}: its contentType "${type}" is not a media type`)
  else if (location === 'files' && essence !== MULTIPART) {
    route.fault(
      `${location}: files are parts of a ${MULTIPART} body; its contentType cannot be "${type}"`,
    )
  } else if (
    location === 'form' &&
    options.contentType !== undefined &&
    locations.includes('files') &&
    essence !== MULTIPART
  ) {
    route.fault(
      `${location}: with files it is read from one ${MULTIPART} body; its contentType cannot be "${type}"`,
    )
  } else if (location === 'form' && essence.startsWith('multipart/') && essence !== MULTIPART) {
    route.fault(
      `${location}: of multipart bodies only ${MULTIPART} can be read; its contentType cannot be "${type}"`,
    )
  }
}

const MULTIPART = 'multipart/form-data'
