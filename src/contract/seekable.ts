// A collection that a keyset walks, and what it is asked for: the contract between `keyset` and a database.

/** Where rows without a value stand: before all others, or behind them, whatever the direction. */
export type Nulls = 'first' | 'last'

/** One key of an order. */
export interface OrderKey {
  /** The program's name of the field. */
  readonly field: string
  readonly direction: 'asc' | 'desc'
  /** Where rows without a value stand; undefined where every row has one. */
  readonly nulls?: Nulls
}

/** What a collection is asked for: the first rows in this order, or those behind a row. */
export interface SeekRequest {
  /** Every key of the order; the last one tells any two rows apart. */
  readonly orderBy: readonly OrderKey[]
  /** The values of the row behind which to start, one for each key; undefined: from the start. */
  readonly after: readonly unknown[] | undefined
  /** How many rows are wanted at most. */
  readonly limit: number
}

/** A collection that can be walked in an order. Walking backwards is the same call with the order turned round. */
export interface Seekable<Row> {
  seek(request: SeekRequest): readonly Row[] | Promise<readonly Row[]>
}
