import { type Dictionary, setOwn } from '../../codec/shape/plain-object.js'
import type { Route } from '../../contract/feature.js'
import type { Declared } from './declaration.js'
import { keysOf } from './fields.js'

/**
 * Copies decoded fields to the last parameter of the method (`asKwargs`). Existing properties, such as a path parameter or a value of an
 * earlier feature (a user), are never replaced: fields that the codec does not declare are named by the client.
 */
export function spreader(
  { place }: Route,
  { codec, location }: Declared,
): (named: Dictionary, value: Dictionary) => void {
  const declared = new Set(keysOf(codec))
  return (named, value) => {
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(named, key)) setOwn(named, key, value[key])
      else if (declared.has(key))
        throw new TypeError(
          `${place}: an earlier feature has named "${key}" already: give this field of ${location} another name`,
        )
    }
  }
}
