/**
 * Compiles and runs the README's first example in a folder where the package is installed as its
 * users install it: `tsx scripts/try-package.ts FOLDER`. Says what is wrong and exits with 1, or is
 * silent.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { root } from '../spec/architecture/source.js'
import { exampleFaults, examplesOf } from '../spec/readme/example.js'
import { readPages } from '../spec/readme/page.js'

const folder = resolve(process.argv[2] ?? '.')
const [example] = readPages(root).flatMap(examplesOf)
if (example === undefined) throw new Error('The README has no example that listens on port 3000')

const faults = [...typeFaults(example.code.text), ...(await exampleFaults(example, folder))]
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}

/**
 * What the compiler says under the strictest settings, the package's declarations and all that they
 * bring in included.
 */
function typeFaults(code: string): string[] {
  const file = join(folder, 'example.ts')
  writeFileSync(file, code)
  const program = ts.createProgram([file], {
    ...{
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: ['node'],
      noEmit: true,
    },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    typeRoots: [join(folder, 'node_modules/@types')],
  })
  const host = {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name: string) => name,
    getNewLine: () => '\n',
  }
  return ts.getPreEmitDiagnostics(program).map(diagnostic => ts.formatDiagnostic(diagnostic, host))
}
