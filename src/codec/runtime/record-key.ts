import type { Decoder } from './decoding.js'
import { Invalid } from './invalid.js'

/**
 * Returns the program's key of a name in a record, and of that key itself again, so that what was
 * decoded can be encoded; undefined for a name outside of the domain. Names are strings on both
 * sides: if the values of the domain are objects (dates), the name stays.
 */
export function recordKeyReader(decodeName: Decoder): (name: string) => string | undefined {
  return name => {
    const key = decodeName(name)
    if (key instanceof Invalid) return undefined
    return typeof key === 'object' ? name : String(key)
  }
}
