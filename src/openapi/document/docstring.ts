/** Summary and description of an operation. */
interface Docstring {
  readonly summary?: string
  readonly description?: string
}

/**
 * Reads a docstring (specification, section 4.8, rule 1): what follows the line that starts with
 * `delimiter` is left out (`null`: nothing is), the lines before the first empty line are the
 * summary, those after it the description. Indentation that all lines but the first have in common
 * is taken away, as are empty lines around both.
 */
export function parseDocstring(text: string, delimiter: string | null): Docstring {
  const lines = trimmedLines(text)
  const cut =
    delimiter === null ? -1 : lines.findIndex(line => line.trimStart().startsWith(delimiter))
  const documented = cut === -1 ? lines : lines.slice(0, cut)
  const gap = documented.indexOf('')
  const summary = (gap === -1 ? documented : documented.slice(0, gap)).join('\n')
  const description =
    gap === -1
      ? ''
      : documented
          .slice(gap)
          .join('\n')
          .replace(/^\n+|\n+$/g, '')
  return { ...(summary && { summary }), ...(description && { description }) }
}

/** The lines without what is blank around them and without their common indentation (PEP 257). */
function trimmedLines(text: string): string[] {
  const [first = '', ...rest] = text.split(/\r\n|\r|\n/).map(line => line.trimEnd())
  const indents = rest
    .filter(line => line !== '')
    .map(line => line.length - line.trimStart().length)
  const indent = Math.min(...indents)
  const lines = [first.trimStart(), ...rest.map(line => line.slice(indent))]
  const start = lines.findIndex(line => line !== '')
  return start === -1 ? [] : lines.slice(start)
}
