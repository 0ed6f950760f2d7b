/** An operation as its document describes it. */
export interface Described {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** Whether it wants credentials of everybody. */
  readonly isSecured: boolean
}

/** The same with the status of a request to it without any credentials. */
export interface Answered extends Described {
  readonly status: number
}

type Item = Readonly<Record<string, { readonly security?: readonly object[] }>>

/** The operations of a document. */
export function describedOperations(document: object): Described[] {
  const { paths } = document as { paths: Readonly<Record<string, Item>> }
  return Object.entries(paths).flatMap(([path, { parameters: _, ...item }]) =>
    Object.entries(item).map(([method, { security = [] }]) => {
      const isSecured =
        security.length > 0 && security.every(requirement => Object.keys(requirement).length > 0)
      return { operation: `${method} ${path}`, method: method.toUpperCase(), path, isSecured }
    }),
  )
}

/** Asks every operation of a document without credentials; parameters of its path are 1. */
export async function askAll(
  document: object,
  send: (method: string, path: string) => Promise<{ status: number }>,
): Promise<Answered[]> {
  const answered: Answered[] = []
  for (const described of describedOperations(document)) {
    const { status } = await send(described.method, described.path.replaceAll(/\{\w+\}/g, '1'))
    answered.push({ ...described, status })
  }
  return answered
}
