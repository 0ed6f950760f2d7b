import type { Readable } from 'node:stream'

/** A file that came with a request, in a temporary place until the response is finished. */
export interface Upload {
  /** The name that the client gave it: data, never a path to use. */
  readonly filename: string
  /** The media type that the client gave it, not checked against what is in the file. */
  readonly mediaType: string
  /** In bytes. */
  readonly size: number
  /** The current path of the file. */
  readonly path: string
  bytes(): Promise<Buffer>
  text(): Promise<string>
  stream(): Readable
  /** Keeps the file under another path. */
  moveTo(path: string): Promise<void>
}

/** Whether a value is a file. No JSON is: a file has methods. */
export function isUpload(value: unknown): value is Upload {
  if (typeof value !== 'object' || value === null) return false
  const { filename, path, size, stream, moveTo } = value as Partial<Upload>
  const facts = typeof filename === 'string' && typeof path === 'string' && typeof size === 'number'
  return facts && typeof stream === 'function' && typeof moveTo === 'function'
}
