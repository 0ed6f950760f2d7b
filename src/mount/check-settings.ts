// Finds the errors of settings that the compiler would have found: in programs in JavaScript, and
// in variables of the environment, which are strings instead of numbers or booleans, or the other
// way round. Called by Api.
import { optionsIn, shown, suggestion } from '../names.js'
import { requireOptions } from '../options.js'
import { SETTING_RULES, type Settings } from '../settings.js'

/**
 * Throws a TypeError that names every setting of the wrong kind; `undefined` is as if it were not
 * there.
 */
export function checkSettings(settings: Settings): void {
  const place = 'new Api(app, settings)'
  if (optionsIn(settings) !== settings)
    throw new TypeError(`${place}: settings must be an object, not ${shown(settings)}`)
  const known = Object.entries(settings).filter(([name]) => Object.hasOwn(SETTING_RULES, name))
  requireOptions<Settings>(place, Object.fromEntries(known), SETTING_RULES)
}

/**
 * Settings may be a whole configuration, so only what is named like one of ours is looked at, and
 * only warned of.
 */
export function unknownSettings(settings: object): readonly string[] {
  const names = Object.keys(SETTING_RULES)
  return Object.keys(settings)
    .filter(name => /^(?:API|OPENAPI|ETAG)_/.test(name) && !names.includes(name))
    .map(name => `there is no setting ${name}${suggestion(name, names)}`)
}
