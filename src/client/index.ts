// Middleware and helpers for openapi-fetch (koa-smorest/client), in browsers and Node: clients that
// lose no update, walk lists of any size, read streams, and send a write once. Nothing of the
// server is imported here, and of openapi-fetch only types.
export { type Conditional, type ConditionalOptions, conditional } from './conditional.js'
export { type Idempotency, type IdempotencyOptions, idempotency } from './idempotency.js'
export { ifMatch } from './if-match.js'
export type { Managed, ManagedOperation } from './managed.js'
export { multipart } from './multipart.js'
export {
  type EnvelopedPath,
  type ListField,
  type PagedPath,
  PageError,
  pages,
  type Row,
  type RowIn,
} from './pages.js'
export { StaleError } from './stale-error.js'
export type { StreamItem, StreamOf } from './stream-of.js'
export {
  type EventsPath,
  events,
  type Line,
  type LinesPath,
  lines,
  type ReceivedEvent,
  StreamError,
} from './streams.js'
