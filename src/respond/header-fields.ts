// Where an operation that writes past Koa sets its header fields: a list that `writeHead` takes at
// once, which costs half of setting them one by one, or the response.

import { channel } from 'node:diagnostics_channel'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { isTraced } from './operation-trace.js'

/** The header fields of a response that is not sent yet. Names match in any case. */
export interface HeaderFields {
  readonly headersSent: boolean
  getHeaderNames(): string[]
  getHeader(name: string): number | string | string[] | undefined
  hasHeader(name: string): boolean
  setHeader(name: string, value: string | number | string[]): unknown
  removeHeader(name: string): void
}

/**
 * Returns where the fields of a response are to be set. Node forgets those that only `writeHead`
 * has seen, so they are set on the response if others are there, or if anybody may read them after
 * it is sent.
 */
export function fieldsFor(res: ServerResponse): HeaderFields {
  return res.getHeaderNames().length > 0 || isObserved(res) ? res : new FieldList()
}

/** Writes the status line and the fields; the head is sent with the body. */
export function writeHead(res: ServerResponse, status: number, fields: HeaderFields): void {
  if (fields instanceof FieldList) res.writeHead(status, STATUS_CODES[status], fields.pairs)
  else {
    res.statusCode = status
    res.statusMessage = STATUS_CODES[status] as string
  }
}

/** Node's own listener for the end of a response. */
const OWN_LISTENERS = 1
const finished = channel('http.server.response.finish')

function isObserved(res: ServerResponse): boolean {
  return (
    res.listenerCount('finish') > OWN_LISTENERS ||
    res.listenerCount('close') > 0 ||
    finished.hasSubscribers ||
    isTraced()
  )
}

/** A few fields, in order. */
class FieldList implements HeaderFields {
  readonly headersSent = false
  /** Names and values in turn, as `writeHead` takes them. */
  readonly pairs: string[] = []

  getHeaderNames(): string[] {
    return this.pairs.filter((_, index) => index % 2 === 0)
  }

  getHeader(name: string): string | undefined {
    const index = this.#indexOf(name)
    return index === -1 ? undefined : this.pairs[index + 1]
  }

  hasHeader(name: string): boolean {
    return this.#indexOf(name) !== -1
  }

  setHeader(name: string, value: string | number): void {
    const index = this.#indexOf(name)
    if (index === -1) this.pairs.push(name, String(value))
    else this.pairs[index + 1] = String(value)
  }

  removeHeader(name: string): void {
    const index = this.#indexOf(name)
    if (index !== -1) this.pairs.splice(index, 2)
  }

  #indexOf(name: string): number {
    const { pairs } = this
    for (let index = 0; index < pairs.length; index += 2) {
      const other = pairs[index] as string
      if (other.length === name.length && other.toLowerCase() === name.toLowerCase()) return index
    }
    return -1
  }
}
