import type { NewItem, NewPet } from './codecs.js'

/** A record as it is kept. */
export type Stored<Data> = Data & { readonly id: number; readonly version: number }

/** Records by number, kept in memory. */
export class Collection<Data extends object> {
  readonly #records = new Map<number, Stored<Data>>()
  #nextId = 1

  constructor(private readonly initial: readonly Data[]) {
    this.reset()
  }

  /** Back to the initial records, numbered from 1. */
  reset(): void {
    this.#records.clear()
    this.#nextId = 1
    for (const data of this.initial) this.add(data)
  }

  all(): readonly Stored<Data>[] {
    return [...this.#records.values()]
  }

  get(id: number): Stored<Data> | undefined {
    return this.#records.get(id)
  }

  add(data: Data): Stored<Data> {
    return this.#keep({ ...data, id: this.#nextId++, version: 1 })
  }

  /** Keeps other data under the same number, as the next version. */
  replace({ id, version }: Stored<Data>, data: Data): Stored<Data> {
    return this.#keep({ ...data, id, version: version + 1 })
  }

  /** Keeps other data under the same number and version. */
  amend({ id, version }: Stored<Data>, data: Data): Stored<Data> {
    return this.#keep({ ...data, id, version })
  }

  remove(id: number): void {
    this.#records.delete(id)
  }

  #keep(record: Stored<Data>): Stored<Data> {
    this.#records.set(record.id, record)
    return record
  }
}

const NAMES = [
  'Rex',
  'Tom',
  'Coco',
  'Luna',
  'Milo',
  'Bella',
  'Max',
  'Lucy',
  'Oscar',
  'Daisy',
  'Simba',
  'Nala',
]
const KINDS = ['dog', 'cat', 'bird'] as const

function petNumber(id: number): NewPet {
  return {
    name: NAMES[id - 1] ?? '',
    kind: KINDS[(id - 1) % 3] ?? 'dog',
    age: id,
    weight: id + 0.5,
    secret: `secret-${id}`,
    tags: id % 2 === 0 ? [`t${id}`, 'all'] : [],
    ...(id % 4 === 0 && { owner: { name: 'Ann', email: 'ann@example.com' } }),
    ...(id === 1 && { birth: '2019-09-19' }),
  }
}

/** What an item holds; `views` counts how often it was read. */
export type ItemData = NewItem & { readonly views: number }

/** What all copies of the application share. */
export const pets = new Collection<NewPet>(NAMES.map((_, index) => petNumber(index + 1)))
export const items = new Collection<ItemData>(
  [1, 2, 3, 4, 5].map(id => ({ name: `item${id}`, views: 0 })),
)
