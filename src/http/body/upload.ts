import { createReadStream } from 'node:fs'
import { copyFile, readFile, rename, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/**
 * A file that was sent with a request. It is kept in a temporary folder, and deleted when the response is finished or its connection
 * closes; `moveTo` keeps it.
 */
export class Upload {
  /** @param filename as the client sent it, any text at all: show it, never use it as a path */
  constructor(
    readonly filename: string,
    /** As the client sent it, `application/octet-stream` where it sent none. */
    readonly mediaType: string,
    /** In bytes. */
    readonly size: number,
    /** Where it lies now. */
    readonly path: string,
  ) {}

  bytes(): Promise<Buffer> {
    return readFile(this.path)
  }

  /** The content as UTF-8. */
  text(): Promise<string> {
    return readFile(this.path, 'utf8')
  }

  stream(): Readable {
    return createReadStream(this.path)
  }

  /** Moves the file, across file systems too; what is at `target` is replaced. */
  async moveTo(target: string): Promise<void> {
    try {
      await rename(this.path, target)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      await copyFile(this.path, target)
      await unlink(this.path)
    }
  }
}
