import type { Feature } from '../contract/feature.js'
import { parseDocstring } from '../openapi/document/docstring.js'

/** The text of a descriptor: summary, an empty line, description; what follows the Blueprint's delimiter line is left out. */
export function docstring(text: string): Feature<Record<never, never>> {
  return {
    on: ({ attributes }) => [{ stage: 'access', docs: () => parseDocstring(text, attributes.DOCSTRING_INFO_DELIMITER) }],
  }
}
