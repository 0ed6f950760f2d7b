/** An operation as its document describes it, and the status of a request to it without any credentials. */
export interface Answered {
  readonly operation: string
  readonly isSecured: boolean
  readonly status: number
}

type Item = Readonly<Record<string, { readonly security?: readonly object[] }>>

/** Asks every operation of a document without credentials; parameters of its path are 1. */
export async function askAll(document: object, send: (method: string, path: string) => Promise<{ status: number }>): Promise<Answered[]> {
  const { paths } = document as { paths: Readonly<Record<string, Item>> }
  const answered: Answered[] = []
  for (const [path, item] of Object.entries(paths))
    for (const [method, { security = [] }] of Object.entries(item)) {
      if (method === 'parameters') continue
      const isSecured = security.length > 0 && security.every(requirement => Object.keys(requirement).length > 0)
      const { status } = await send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'))
      answered.push({ operation: `${method} ${path}`, isSecured, status })
    }
  return answered
}
