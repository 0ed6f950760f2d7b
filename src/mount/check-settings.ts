// Finds the errors of settings that the compiler would have found: in programs in JavaScript, and
// in variables of the environment, which are strings instead of numbers or booleans, or the other
// way round. Called by Api.
import { optionsIn, shown, suggestion } from '../names.js'
import { SETTING_KINDS, type SettingKind, type Settings } from '../settings.js'

interface Kind {
  readonly says: string
  readonly fits: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): boolean => optionsIn(value as object) === value

const KINDS: Readonly<Record<SettingKind, Kind>> = {
  text: { says: 'a string', fits: isText },
  // a version may be a number too: a configuration in YAML has a version 2
  'text or number': { says: 'a string', fits: value => isText(value) || Number.isFinite(value) },
  'text or null': { says: 'a string or null', fits: value => value === null || isText(value) },
  flag: { says: 'true or false', fits: value => typeof value === 'boolean' },
  object: { says: 'an object', fits: isObject },
  'object or null': { says: 'an object or null', fits: value => value === null || isObject(value) },
  texts: { says: 'a list of strings', fits: value => Array.isArray(value) && value.every(isText) },
  location: {
    says: 'a string, a URL or null',
    fits: value => value === null || isText(value) || value instanceof URL,
  },
  any: { says: '', fits: () => true },
}

/**
 * Throws a TypeError that names every setting of the wrong kind; `undefined` is as if it were not
 * there.
 */
export function checkSettings(settings: Settings): void {
  if (!isObject(settings))
    throw new TypeError(
      `new Api(app, settings): settings must be an object, not ${shown(settings)}`,
    )
  const faults = Object.entries(SETTING_KINDS).flatMap(([name, kind]) => {
    const value: unknown = settings[name as keyof Settings]
    const { says, fits } = KINDS[kind]
    return value === undefined || fits(value) ? [] : `${name} must be ${says}, not ${shown(value)}`
  })
  if (faults.length > 0) throw new TypeError(`new Api(app, settings): ${faults.join('; ')}`)
}

/**
 * Settings may be a whole configuration, so only what is named like one of ours is looked at, and
 * only warned of.
 */
export function unknownSettings(settings: object): readonly string[] {
  const names = Object.keys(SETTING_KINDS)
  return Object.keys(settings)
    .filter(name => /^(?:API|OPENAPI|ETAG)_/.test(name) && !names.includes(name))
    .map(name => `there is no setting ${name}${suggestion(name, names)}`)
}
