import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { root } from '../architecture/source.js'

// Texts that specs have the compiler check without writing them into files, under the settings of
// the project.

/** One version of the compiler. */
export type Compiler = typeof ts

/** The settings in a `tsconfig.json` of the project. */
export function compilerOptions(
  path = 'tsconfig.json',
  compiler: Compiler = ts,
): ts.CompilerOptions {
  const host = {
    ...compiler.sys,
    readDirectory: () => [],
    onUnRecoverableConfigFileDiagnostic: () => undefined,
  }
  return compiler.getParsedCommandLineOfConfigFile(join(root, path), {}, host)?.options ?? {}
}

/**
 * Makes programs of texts by path, which stand in the place of files, or of files alone. Programs
 * of one maker share what they have read from files, which is most of what there is to read.
 */
export function programMaker(
  options: ts.CompilerOptions,
  compiler: Compiler = ts,
): (texts: ReadonlyMap<string, string>) => ts.Program {
  const parsed = new Map<string, ts.SourceFile | undefined>()
  return texts => {
    const host = compiler.createCompilerHost(options)
    const { fileExists, readFile, getSourceFile } = host
    host.fileExists = path => texts.has(path) || fileExists.call(host, path)
    host.readFile = path => texts.get(path) ?? readFile.call(host, path)
    host.getSourceFile = (path, version) => {
      const text = texts.get(path)
      if (text !== undefined) return compiler.createSourceFile(path, text, version)
      if (!parsed.has(path)) parsed.set(path, getSourceFile.call(host, path, version))
      return parsed.get(path)
    }
    return compiler.createProgram([...texts.keys()], options, host)
  }
}

/** What the compiler says of one file of a program, of its syntax and its types. */
export function faultsOf(program: ts.Program, path: string): readonly ts.Diagnostic[] {
  const file = program.getSourceFile(path)
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
}

/** The message of a diagnostic with all that it is explained by. */
export function messageOf({ messageText }: ts.Diagnostic, separator = '\n'): string {
  return ts.flattenDiagnosticMessageText(messageText, separator)
}

/** The line of a diagnostic in its file, counted from 0. */
export function lineOf({ file, start = 0 }: ts.Diagnostic): number {
  return file?.getLineAndCharacterOfPosition(start).line ?? 0
}

/** What the compiler says of a module; lines are counted from 0. */
export interface Fault {
  readonly line: number
  readonly message: string
}

/**
 * What TypeScript 7 says of each of these modules, by their paths in a folder below the root. It
 * takes a fifth of the time of the compiler in JavaScript.
 */
export async function checkModules(
  texts: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, readonly Fault[]>> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'modules-'))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  try {
    await write('package.json', '{ "type": "module" }')
    await write(
      'tsconfig.json',
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: { incremental: false },
        files: [...texts.keys()],
        include: [],
      }),
    )
    for (const [path, text] of texts) await write(path, text)
    return await checkFolder(folder, ['--noEmit'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What TypeScript 7 says of the files of a folder that has a tsconfig.json, by their paths. */
export async function checkFolder(
  folder: string,
  options: readonly string[] = [],
): Promise<ReadonlyMap<string, readonly Fault[]>> {
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
  const output = await new Promise<string>(resolve =>
    execFile(process.execPath, [compiler, ...options], { cwd: folder }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  )
  const faults = new Map<string, Fault[]>()
  for (const [, path = '', line, message = ''] of output.matchAll(
    /^(\S[^\n]*)\((\d+),\d+\): error TS\d+: (.*(?:\n .*)*)/gm,
  ))
    faults.set(path, [...(faults.get(path) ?? []), { line: Number(line) - 1, message }])
  return faults
}
