/**
 * Carries types, never a value: of a feature what it means to the compiler, of a Blueprint and an Api what they have been given.
 * Exported so that declarations of an application can be emitted.
 */
export const typing: unique symbol = Symbol('koa-smorest.typing')

/** What a feature means to the compiler. */
export interface Typing {
  /** Positional arguments that the method is given. */
  readonly arguments?: readonly unknown[]
  /** Fields of the method's last parameter. */
  readonly named?: object
  /** What the method returns. */
  readonly value?: unknown
  /** The method returns a collection that is paged: `true`, or the collection's type. */
  readonly paged?: unknown
  /** The method must return a value: its feature cannot do its work on a `Response`. */
  readonly raw?: false
  /** An occurrence of a declared problem that the method may return as a Left. */
  readonly failure?: unknown
  /** Path parameters that it needs. */
  readonly parameters?: object
  /**
   * What a client sends and receives: `WireFacts`, or a `WireFunction` of the method and the settings. It is `unknown` here so that the
   * compiler does not work it out for every operation of a server, but only for those that a client asks for.
   */
  readonly wire?: unknown
}
