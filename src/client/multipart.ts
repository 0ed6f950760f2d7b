/**
 * A `bodySerializer` of openapi-fetch for uploads: `client.PUT(path, { body: { picture: file,
 * title: 'Rex' }, bodySerializer: multipart })` sends multipart/form-data. A list is one part for
 * each item, an object is sent as JSON, and what is `undefined` is left out. Throws for `null`,
 * which a form cannot express.
 */
export function multipart(body: unknown): FormData {
  if (body instanceof FormData) return body
  const form = new FormData()
  for (const [name, value] of Object.entries(body as object))
    for (const item of [value].flat()) {
      if (item === null) throw new TypeError(`A form has no null: ${name}`)
      if (item !== undefined)
        form.append(
          name,
          typeof item !== 'object' || item instanceof Blob ? item : JSON.stringify(item),
        )
    }
  return form
}
