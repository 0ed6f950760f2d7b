import type { Upload } from '../../http/body/upload.js'

export type { Upload }

/** Whether a value is a file. No JSON is: a file has methods. */
export function isUpload(value: unknown): value is Upload {
  if (typeof value !== 'object' || value === null) return false
  const { filename, path, size, stream, moveTo } = value as Partial<Upload>
  const facts = typeof filename === 'string' && typeof path === 'string' && typeof size === 'number'
  return facts && typeof stream === 'function' && typeof moveTo === 'function'
}
