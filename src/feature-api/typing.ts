/**
 * A property for types, never for a value: the typing of a feature, and the known routes and
 * settings of a Blueprint or an Api. Exported so that declarations of an application can be
 * emitted.
 */
export const typing: unique symbol = Symbol('koa-smorest.typing')

/** The types of a feature. */
export interface Typing {
  /** Positional arguments that the method is given. */
  readonly arguments?: readonly unknown[]
  /** Fields of the method's last parameter. */
  readonly named?: object
  /** The value that the method returns. */
  readonly value?: unknown
  /** The method returns a collection that is paged: `true`, or the collection's type. */
  readonly paged?: unknown
  /** The method must return a value: the feature cannot process a `Response`. */
  readonly raw?: false
  /** A success may have no content: the method may return `reply(undefined, status)`. */
  readonly empty?: true
  /** An occurrence of a declared problem that the method may return as a Left. */
  readonly failure?: unknown
  /**
   * Named values that the feature needs: path parameters, and what other features give. The
   * compiler checks them for classes and function views; `needs` of the feature is the same at
   * registration.
   */
  readonly needs?: object
  /**
   * The values that a client sends and receives: `WireFacts`, or a `WireFunction` of the method and
   * the settings. It is `unknown` here so that the compiler evaluates it only for operations that a
   * client uses, not for every operation of a server.
   */
  readonly wire?: unknown
}
