import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories = new Set<string>()

/** Creates a folder that is removed with its contents when the response is finished, its connection closes, or the process exits. */
export async function temporaryDirectory(res: ServerResponse): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'koa-smorest-'))
  if (directories.size === 0) process.on('exit', removeAll)
  directories.add(directory)
  if (res.closed) void remove(directory)
  else res.once('close', () => void remove(directory))
  return directory
}

async function remove(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Nobody is left who could be told: the response has been sent.
  }
  directories.delete(directory)
  if (directories.size === 0) process.off('exit', removeAll)
}

function removeAll(): void {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
}
