/**
 * Thrown to leave the method before it returns. The operation goes on as after a method that responded by Koa's own means:
 * steps for raw responses decide on status and header fields, and nothing is encoded. Only a method may throw it.
 */
export class EarlyReturn extends Error {
  override readonly name = 'EarlyReturn'
}
