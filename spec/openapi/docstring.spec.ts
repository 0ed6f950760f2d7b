import { describe, expect, it } from 'vitest'
import { parseDocstring } from '../../src/openapi/document/docstring.js'

describe('parseDocstring', () => {
  it('takes the lines before the first empty line as the summary, the others as the description', () => {
    const text =
      'Summary line one\nsummary line two\n\nDescription line one.\n\nDescription line two.\n'
    expect(parseDocstring(text, '---')).toEqual({
      summary: 'Summary line one\nsummary line two',
      description: 'Description line one.\n\nDescription line two.',
    })
  })

  it('leaves out what follows a line that starts with the delimiter, blanks before and text after it allowed', () => {
    expect(parseDocstring('Add a pet\n\nDetails\n  --- internal\nSecret', '---')).toEqual({
      summary: 'Add a pet',
      description: 'Details',
    })
    expect(parseDocstring('Posted\n~~~\nhidden', '~~~')).toEqual({ summary: 'Posted' })
    expect(parseDocstring('Got\n\n---\nkept', '~~~')).toEqual({
      summary: 'Got',
      description: '---\nkept',
    })
    expect(parseDocstring('---\nall internal', '---')).toEqual({})
  })

  it('uses the whole text if the delimiter is null', () => {
    expect(parseDocstring('Whole\n\nPart one\n---\nPart two', null)).toEqual({
      summary: 'Whole',
      description: 'Part one\n---\nPart two',
    })
  })

  it('takes away the indentation that the lines have in common, and keeps the rest', () => {
    expect(
      parseDocstring('\n    List pets\n\n    One of:\n      - cats\n      - dogs\n  \n', '---'),
    ).toEqual({
      summary: 'List pets',
      description: 'One of:\n  - cats\n  - dogs',
    })
    expect(parseDocstring('Default\n\n   \n\n', '---')).toEqual({ summary: 'Default' })
  })

  it('knows the line ends of other systems, and texts with nothing in them', () => {
    expect(parseDocstring('One\r\n\r\nTwo\r\nThree', '---')).toEqual({
      summary: 'One',
      description: 'Two\nThree',
    })
    for (const text of ['', '\n', '  \n \n']) expect(parseDocstring(text, '---')).toEqual({})
  })
})
