export const USAGE = `Usage: koa-smorest openapi print MODULE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi write MODULE FILE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi check MODULE FILE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi breaking OLD NEW [--allow FILE] [--today DAY] [--format text|json|github]
       koa-smorest routes MODULE [--format text|json]
       koa-smorest contract MODULE [--writes] [--seed NUMBER] [--runs NUMBER]

openapi print     prints the OpenAPI document of an application
openapi write     writes it to a file
openapi check     compares a file with it; exits with 1 and shows the differences if there are any
openapi breaking  finds changes between two documents that break clients; exits with 1 if there is an error
routes            lists the operations with their security and statuses
contract          tests an application against its own document; exits with 1 if there is a failure

MODULE exports an Api: as its default export, as "api", or under the name that --export gives. For contract it exports the Koa application
as "app", the Api as "api", and the options of the function contract() as "contract". To run a module in TypeScript:
  node --import tsx node_modules/.bin/koa-smorest …
OLD and NEW are each a document in JSON or YAML, such a module, or git:REF:PATH, a document in a commit: git:origin/main:openapi.yaml

Options:
  --export NAME       the export that is the Api
  --openapi VERSION   3.2.0, 3.1.0, 3.0.3 or 2.0; default: the version in the application's settings
  --format FORMAT     the format of the output; default for a document: by the ending of FILE, or else JSON
  --allow FILE        changes that you have decided on: a list in YAML or JSON of { rule, operation, where, at, reason, date }
  --today DAY         the day that sunsets are compared with, such as 2027-05-01; default: today
  --writes            lets contract write and delete although it cannot reset the data
  --seed, --runs      override these options of the function contract()
  --help              shows this

Exit codes: 0, all is well; 1, something was found; 2, the command could not be carried out.`

/** A mistake in how the command is called, or in what it is given; its message is all that is shown. */
export class UsageError extends Error {}

/** Where a command writes to. */
export interface Output {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

/** The options of all commands, as they were given. */
export interface Options {
  readonly export?: string | undefined
  readonly openapi?: string | undefined
  readonly format?: string | undefined
  readonly allow?: string | undefined
  readonly today?: string | undefined
  readonly seed?: string | undefined
  readonly runs?: string | undefined
  readonly writes?: boolean | undefined
}

/** The format that was asked for, the first of `formats` by default. */
export function formatOf<const Format extends string>(
  given: string | undefined,
  formats: readonly [Format, ...Format[]],
): Format {
  if (given === undefined) return formats[0]
  const format = formats.find(name => name === given)
  if (format === undefined)
    throw new UsageError(`--format ${given}: the format can be ${formats.join(' or ')}`)
  return format
}
