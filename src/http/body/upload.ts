import { createReadStream } from 'node:fs'
import { copyFile, readFile, rename, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/**
 * A file that was sent with a request. It is kept in a temporary folder, and deleted when
 * the method, its response and a stream have ended; `moveTo` keeps it.
 */
export class Upload {
  /** @param filename as sent by the client, any string at all: show it, never use it as a path */
  constructor(
    readonly filename: string,
    /** As sent by the client, `application/octet-stream` if it sent none. */
    readonly mediaType: string,
    /** In bytes. */
    readonly size: number,
    /** The current path of the file. */
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
