// A collection that can be read in an order from any row on: the contract between `keyset` and a
// database.

/** Whether rows without a value come first or last, whatever the direction. */
export type Nulls = 'first' | 'last'

/** One key of an order. */
export interface OrderKey {
  /** The program's name of the field. */
  readonly field: string
  readonly direction: 'asc' | 'desc'
  /** The position of rows without a value; undefined if every row has one. */
  readonly nulls?: Nulls
}

/** A request for the first rows in an order, or for those after a row. */
export interface SeekRequest {
  /** All keys of the order; the last one is unique. */
  readonly orderBy: readonly OrderKey[]
  /**
   * The values of the row after which to start, one for each key; undefined to start at the
   * beginning.
   */
  readonly after: readonly unknown[] | undefined
  /** The maximum number of rows. */
  readonly limit: number
}

/**
 * A collection that can be read in an order. Reading backwards is the same call with the order
 * reversed.
 */
export interface Seekable<Row> {
  seek(request: SeekRequest): readonly Row[] | Promise<readonly Row[]>
}
