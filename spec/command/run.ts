import { commandLine } from '../../src/command/command-line.js'

/** Runs the command as a shell would. */
export async function run(
  ...args: string[]
): Promise<{ code: number; out: string; error: string }> {
  const written = { out: '', error: '' }
  const code = await commandLine(args, {
    out: text => (written.out += `${text}\n`),
    error: text => (written.error += `${text}\n`),
  })
  return { code, ...written }
}
