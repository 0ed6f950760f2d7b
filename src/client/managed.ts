/**
 * Header fields that the middleware sends: conditions of `conditional()`, and the key of
 * `idempotency()`.
 */
type Sent = 'if-match' | 'if-none-match' | 'idempotency-key'

/**
 * `paths` for a client with `conditional()` and `idempotency()`: the header fields that these send
 * need not be given. `createClient<Managed<paths>>({ baseUrl })`, whether `paths` comes from
 * `PathsOf` or from openapi-typescript.
 */
export type Managed<Paths> = {
  [Path in keyof Paths]: { [Key in keyof Paths[Path]]: ManagedOperation<Paths[Path][Key]> }
}

/** An operation of `Managed`. */
export type ManagedOperation<Operation> = Operation extends {
  parameters: { header: infer Fields extends object }
}
  ? Omit<Operation, 'parameters'> & {
      parameters: WithHeader<Operation['parameters'], Relaxed<Fields>>
    }
  : Operation

/** Header fields, those that the middleware sends being optional. */
type Relaxed<Fields> = {
  [Name in keyof Fields as Name extends IsSent<Name> ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as IsSent<Name>]?: Fields[Name]
}

type IsSent<Name> = Name extends string ? (Lowercase<Name> extends Sent ? Name : never) : never

/** Parameters with these header fields, optional if none of them is required. */
type WithHeader<Parameters, Fields> = Omit<Parameters, 'header'> &
  (object extends Fields ? { header?: Fields } : { header: Fields })
