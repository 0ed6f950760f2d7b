export const USAGE = `Usage: koa-smorest new FOLDER [--database none|postgres]
       koa-smorest openapi print MODULE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi write MODULE FILE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi check MODULE FILE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi breaking OLD NEW [--allow FILE] [--today DAY] [--format text|json|github]
       koa-smorest routes MODULE [--format text|json]
       koa-smorest lint MODULE|FILE [--skip RULES] [--format text|json|github]
       koa-smorest contract MODULE [--writes] [--seed NUMBER] [--runs NUMBER]

new               makes a project in a folder that is empty or does not exist
openapi print     prints the OpenAPI document of an application
openapi write     writes it to a file
openapi check     compares a file with it; exits with 1 and shows the differences if there are any
openapi breaking  finds changes between two documents that break clients; exits with 1 if there is an error
routes            lists the operations with their security and statuses
lint              remarks on what is allowed and rarely meant; exits with 1 if there is a remark
contract          tests an application against its own document; exits with 1 if there is a failure

MODULE exports an Api: as its default export, as "api", or under the name that --export gives. For contract it exports the Koa application
as "app", the Api as "api", and the options of the function contract() as "contract". To run a module in TypeScript:
  node --import tsx node_modules/.bin/koa-smorest …
OLD and NEW are each a document in JSON or YAML, such a module, or git:REF:PATH, a document in a commit: git:origin/main:openapi.yaml

Options:
  --database NAME     where the new project keeps its data: none (in memory) or postgres; default: none
  --export NAME       the export that is the Api
  --openapi VERSION   3.2.0, 3.1.0, 3.0.3 or 2.0; default: the version in the application's settings
  --format FORMAT     the format of the output; default for a document: by the ending of FILE, or else JSON
  --allow FILE        changes that you have decided on: a list in YAML or JSON of { rule, operation, where, at, reason, date }
  --today DAY         the day that sunsets are compared with, such as 2027-05-01; default: today
  --skip RULES        rules of lint that do not count: trailing-slash,weak-tag
  --writes            lets contract write and delete although it cannot reset the data
  --seed, --runs      override these options of the function contract()
  --help              shows this

Exit codes: 0, all is well; 1, something was found; 2, the command could not be carried out.`

/**
 * A mistake in how the command is called, or in what it is given; its message is all that is shown.
 */
export class UsageError extends Error {}

export interface Output {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

/** The options of all commands, as they were given. */
export interface Options {
  readonly database?: string | undefined
  readonly export?: string | undefined
  readonly openapi?: string | undefined
  readonly format?: string | undefined
  readonly allow?: string | undefined
  readonly today?: string | undefined
  readonly skip?: string | undefined
  readonly seed?: string | undefined
  readonly runs?: string | undefined
  readonly writes?: boolean | undefined
}

/** Returns the given format, by default the first of `formats`. */
export function formatOf<const Format extends string>(
  given: string | undefined,
  formats: readonly [Format, ...Format[]],
): Format {
  return choiceOf('format', given, formats)
}

/** Returns the given value of an option, by default the first of its `choices`. */
export function choiceOf<const Choice extends string>(
  option: 'format' | 'database',
  given: string | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  if (given === undefined) return choices[0]
  const choice = choices.find(name => name === given)
  if (choice === undefined)
    throw new UsageError(`--${option} ${given}: the ${option} can be ${choices.join(' or ')}`)
  return choice
}

/** Rows as aligned columns; the last one may be of any length. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return all.map(line).join('\n')
}
