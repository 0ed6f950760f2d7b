// Checks the arguments of an operation when it is registered.
import { faultsOf } from '../../codec/encode/faults.js'
import type { Route } from '../../contract/feature.js'
import { checkLimit, checkOptions } from '../../contract/options.js'
import { type Location, READERS } from '../../contract/request-reader.js'
import { DEFAULT_LIMITS } from '../../http/body/request-body.js'
import { parseMediaType } from '../../http/media-type.js'
import {
  argumentsOf,
  contentTypeOf,
  type Declared,
  errorStatusOf,
  isBody,
  unknownOf,
} from './declaration.js'
import {
  hasUnnamedFields,
  inputFieldsOf,
  isFile,
  isObjectCodec,
  keysOf,
  requiredNamesOf,
  unsendableAsFile,
  unsendableAsText,
} from './fields.js'

const OPTIONS = [
  'location',
  'contentType',
  'required',
  'description',
  'example',
  'examples',
  'unknown',
  'asKwargs',
  'errorStatusCode',
  'limits',
]

/** Reports the faults of one argument, including clashes of its names with those of the others. */
export function checkArgument(route: Route, declared: Declared): void {
  const { codec, options, location } = declared
  checkOptions(route, location, options, OPTIONS)
  checkLimits(route, declared)
  const status = errorStatusOf(declared)
  if (!Number.isInteger(status) || status < 400 || status > 599)
    route.fault(
      `${location}: errorStatusCode is the status of an error, 400 to 599, not ${String(status)}`,
    )
  if (options.example !== undefined && options.examples)
    route.fault(`${location}: an example or examples, not both`)
  for (const fault of faultsOf(codec, 'input', unknownOf(route, declared)))
    route.fault(`${location}: ${fault}`)
  // a custom reader may read the request as it likes
  if (route.attributes.ARGUMENTS_PARSER[location] === READERS[location])
    checkFields(route, declared)
  if (options.asKwargs) checkKwargs(route, declared)
}

function checkLimits(route: Route, { options: { limits }, location }: Declared): void {
  if (limits === undefined) return
  checkOptions(route, `${location}, limits`, limits, Object.keys(DEFAULT_LIMITS))
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[]) {
    if (limits[name] !== undefined)
      checkLimit(route, `${location}: the limit "${name}"`, limits[name], { minimum: 0 })
  }
}

const INSTEAD = 'declare its fields one by one, or take it from a JSON body'

/** Reports fields that can never be sent in this location: they would be ignored, or refused, in every request. */
function checkFields(route: Route, { codec, options, location }: Declared): void {
  if (location === 'json') {
    const files = isObjectCodec(codec) ? inputFieldsOf(codec).filter(isFile) : []
    for (const { name } of files)
      route.fault(`json: "${name}" is a file, which JSON cannot hold: take it with files(…)`)
    return
  }
  if (!isObjectCodec(codec)) {
    // a parameter location says so where it is documented
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
  for (const field of unsendableAsText(codec)) {
    const why = isFile(field)
      ? 'is a file: take it with files(…)'
      : `is an object, which has no form here: ${INSTEAD}`
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

/** The documented media type has to be the one that is read, unless the Blueprint has a custom reader. */
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
