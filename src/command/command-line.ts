import { parseArgs } from 'node:util'
import { shown, suggestion } from '../names.js'
import { breakingCommand } from './breaking.js'
import { contractCommand } from './contract.js'
import { check, print, write } from './document.js'
import { lintCommand } from './lint.js'
import { newProject } from './new.js'
import { routes } from './routes.js'
import { type Options, type Output, USAGE, UsageError } from './usage.js'

interface Command {
  /** How many words follow its name. */
  readonly operands: number
  readonly options: readonly (keyof Options)[]
  readonly run: (
    operands: readonly [string, string],
    options: Options,
    output: Output,
  ) => Promise<number>
}

const COMMANDS: { readonly [name: string]: Command } = {
  new: {
    operands: 1,
    options: ['database'],
    run: ([folder], options, output) => newProject(folder, options, output),
  },
  'openapi print': {
    operands: 1,
    options: ['export', 'openapi', 'format'],
    run: ([module], options, output) => print(module, options, output),
  },
  'openapi write': {
    operands: 2,
    options: ['export', 'openapi', 'format'],
    run: ([module, file], options, output) => write(module, file, options, output),
  },
  'openapi check': {
    operands: 2,
    options: ['export', 'openapi', 'format'],
    run: ([module, file], options, output) => check(module, file, options, output),
  },
  'openapi breaking': {
    operands: 2,
    options: ['export', 'allow', 'today', 'format'],
    run: ([old, now], options, output) => breakingCommand(old, now, options, output),
  },
  routes: {
    operands: 1,
    options: ['export', 'format'],
    run: ([module], options, output) => routes(module, options, output),
  },
  lint: {
    operands: 1,
    options: ['export', 'skip', 'format'],
    run: ([argument], options, output) => lintCommand(argument, options, output),
  },
  contract: {
    operands: 1,
    options: ['writes', 'seed', 'runs'],
    run: ([module], options, output) => contractCommand(module, options, output),
  },
}

/**
 * Runs `koa-smorest` with these arguments. Resolves to the exit code: 0, 1 if something was found,
 * 2 if the command failed.
 */
export async function commandLine(args: readonly string[], output: Output): Promise<number> {
  try {
    return await run(args, output)
  } catch (error) {
    output.error(
      error instanceof UsageError
        ? error.message
        : `The command cannot be carried out:\n${error instanceof Error ? (error.stack ?? error.message) : error}`,
    )
    return 2
  }
}

async function run(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = parsed(args)
  const { help, ...options } = values
  if (help) {
    output.out(USAGE)
    return 0
  }
  const words = positionals[0] === 'openapi' ? 2 : 1
  const name = positionals.slice(0, words).join(' ')
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const operands = positionals.slice(words)
  if (positionals.length === 0) throw new UsageError(USAGE)
  if (!command)
    throw new UsageError(
      `there is no command ${shown(name)}${suggestion(name, Object.keys(COMMANDS))}\n\n${USAGE}`,
    )
  if (operands.length !== command.operands)
    throw new UsageError(
      `${name} takes ${command.operands === 1 ? 'one operand' : 'two operands'}, not ${operands.length}\n\n${USAGE}`,
    )
  for (const option of Object.keys(options)) {
    if (!command.options.includes(option as keyof Options))
      throw new UsageError(`${name} has no option --${option}\n\n${USAGE}`)
  }
  return await command.run([operands[0] ?? '', operands[1] ?? ''], options, output)
}

function parsed(args: readonly string[]): {
  values: Options & { help?: boolean | undefined }
  positionals: string[]
} {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    export: text,
    database: text,
    openapi: text,
    format: text,
    allow: text,
    today: text,
    skip: text,
    seed: text,
    runs: text,
    writes: flag,
  }
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...options, help: { ...flag, short: 'h' } },
    })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  }
}
