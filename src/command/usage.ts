export const USAGE = `Usage: koa-smorest openapi print MODULE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi write MODULE FILE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi check MODULE FILE [--format json|yaml] [--openapi VERSION]
       koa-smorest openapi breaking OLD NEW [--allow FILE] [--today DAY] [--format text|json|github]
       koa-smorest routes MODULE [--format text|json]
       koa-smorest contract MODULE [--writes] [--seed NUMBER] [--runs NUMBER]

openapi print     prints the OpenAPI document of an application
openapi write     writes it to a file
openapi check     checks that a file still says what the application says; exits with 1, and shows what differs, if not
openapi breaking  finds what breaks clients between two documents; exits with 1 if there is an error
routes            lists the operations with their security and their statuses
contract          tests the application against its own document; exits with 1 if there is a failure

MODULE exports an Api: as its default export, as "api", or under the name that --export gives. For contract it exports "app" (the Koa
application) and "api", and, as "contract", the options of the function contract. A module in TypeScript is run by:
  node --import tsx node_modules/.bin/koa-smorest …
OLD and NEW are each a document in JSON or YAML, such a module, or git:REF:PATH, a document in a commit: git:origin/main:openapi.yaml

Options:
  --export NAME       the export that is the Api
  --openapi VERSION   3.2.0, 3.1.0, 3.0.3 or 2.0; without it, the version of the application's settings
  --format FORMAT     how it is written; a document, without it, by the ending of FILE, else as JSON
  --allow FILE        changes that were decided on: a list in YAML or JSON of { rule, operation, where, at, reason, date }
  --today DAY         the day on which sunsets are judged, 2027-05-01; without it, today
  --writes            lets contract write and delete though it cannot reset the data
  --seed, --runs      as of the function contract
  --help              shows this

Exit codes: 0, all is well; 1, something was found; 2, it could not be looked for.`

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
export function formatOf<const Format extends string>(given: string | undefined, formats: readonly [Format, ...Format[]]): Format {
  if (given === undefined) return formats[0]
  const format = formats.find(name => name === given)
  if (format === undefined) throw new UsageError(`--format ${given}: it can be ${formats.join(' or ')}`)
  return format
}
