import * as t from 'io-ts'
import { withShape } from '../shape/known-shape.js'
import { requireCodec } from '../shape/require-codec.js'
import { isUpload, type Upload as UploadValue } from '../types/upload-type.js'
import { type BoundC, bound, type CodecOfType, checkCount } from './bounds.js'

/**
 * A file that was sent with a request, kept in a temporary folder until the response has been sent.
 */
// an interface: the declarations of an application can only name a type that the package exports
// itself
export interface Upload extends UploadValue {}

/** A part of a multipart body that is a file. For requests only: in a response it is a fault. */
export const Upload: t.Type<Upload> = fileCodec()

/** Files of at most this many bytes. */
export function maxSize<C extends CodecOfType<Upload>>(codec: C, bytes: number): BoundC<C> {
  requireCodec('maxSize() takes', codec)
  checkCount('maxSize', bytes)
  return bound(
    codec,
    `Must be at most ${bytes} bytes long.`,
    {},
    (file: Upload) => file.size <= bytes,
  )
}

/**
 * Files that the client declares as one of these media types (`image/png`, or `image/*`); their
 * content is not checked.
 */
export function mediaTypes<C extends CodecOfType<Upload>>(
  codec: C,
  types: readonly string[],
): BoundC<C> {
  requireCodec('mediaTypes() takes', codec)
  if (!Array.isArray(types) || types.length === 0 || !types.every(type => typeof type === 'string'))
    throw new TypeError("mediaTypes() takes a list of media types, ['image/png', 'image/*']")
  const fits = (mediaType: string) =>
    types.some(type =>
      type.endsWith('/*') ? mediaType.startsWith(type.slice(0, -1)) : mediaType === type,
    )
  const essence = ({ mediaType }: Upload) => mediaType.replace(/;.*/, '').trim().toLowerCase()
  return bound(
    codec,
    `Must be of type ${types.join(' or ')}.`,
    {},
    (file: Upload) => fits(essence(file)),
    { mediaTypes: types },
  )
}

function fileCodec(): t.Type<Upload> {
  const codec: t.Type<Upload> = new t.Type(
    'Upload',
    isUpload,
    (input, context) =>
      isUpload(input) ? t.success(input) : t.failure(input, context, 'Not a file.'),
    t.identity,
  )
  return withShape(codec, () => ({ kind: 'file', codec }))
}
