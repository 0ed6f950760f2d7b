import { isObject, type JsonObject } from '../openapi/schema/json.js'

/** A document that cannot be compared; its message has the remedy. */
export class DocumentError extends Error {}

/** Finds what the references of a document point at. */
export class References {
  constructor(private readonly root: JsonObject) {}

  /** The object itself, or what it refers to in the end. */
  follow(value: unknown): JsonObject {
    const passed = new Set<string>()
    let target = value
    while (isObject(target) && typeof target.$ref === 'string') {
      if (passed.has(target.$ref))
        throw new DocumentError(`The reference ${target.$ref} leads back to itself`)
      passed.add(target.$ref)
      target = this.target(target.$ref)
    }
    return isObject(target) ? target : {}
  }

  /** The target of a reference: an object, or a boolean if it is a schema. */
  target($ref: string): unknown {
    if (!/^#(\/|$)/.test($ref)) {
      throw new DocumentError(
        `The reference ${$ref} leads out of the document: bundle it first, with \`npx @redocly/cli bundle\` for one`,
      )
    }
    let target: unknown = this.root
    for (const segment of $ref.split('/').slice(1)) {
      const name = decoded(segment).replace(/~1/g, '/').replace(/~0/g, '~')
      target =
        (isObject(target) || Array.isArray(target)) && Object.hasOwn(target, name)
          ? (target as JsonObject)[name]
          : undefined
    }
    if (target === undefined)
      throw new DocumentError(`The reference ${$ref} points at nothing in the document`)
    return target
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
