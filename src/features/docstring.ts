import type { Feature } from '../contract/feature.js'
import { parseDocstring } from '../openapi/document/docstring.js'

/** The docstring of a descriptor: summary, an empty line, description. Text after the delimiter line of the Blueprint is left out. */
export function docstring(text: string): Feature<Record<never, never>> {
  return {
    on: ({ attributes }) => [
      { stage: 'access', docs: () => parseDocstring(text, attributes.DOCSTRING_INFO_DELIMITER) },
    ],
  }
}
