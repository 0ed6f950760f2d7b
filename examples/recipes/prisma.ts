import { branches, type Condition, type Seekable } from 'koa-smorest'

/** The part of the arguments of Prisma's `findMany` that a keyset decides. */
export interface PrismaPage {
  readonly where: { readonly AND: readonly Readonly<Record<string, unknown>>[] }
  readonly orderBy: readonly Readonly<Record<string, unknown>>[]
  readonly take: number
}

/**
 * A query of Prisma that `keyset` can walk:
 * `prismaRows(page => prisma.pet.findMany({ ...page, where: { AND: [filter, page.where] } }))`.
 */
export function prismaRows<Row>(findMany: (page: PrismaPage) => Promise<Row[]>): Seekable<Row> {
  return {
    async seek(request) {
      const orderBy = request.orderBy.map(({ field, direction, nulls }) => ({
        [field]: nulls ? { sort: direction, nulls } : direction,
      }))
      const found: Row[] = []
      for (const conditions of branches(request)) {
        const take = request.limit - found.length
        if (take > 0)
          found.push(...(await findMany({ where: { AND: conditions.map(where) }, orderBy, take })))
      }
      return found
    },
  }
}

function where(condition: Condition): Readonly<Record<string, unknown>> {
  const { field } = condition
  if (!('value' in condition))
    return { [field]: condition.operator === 'is null' ? null : { not: null } }
  const { operator, value } = condition
  return { [field]: { [({ '=': 'equals', '<': 'lt', '>': 'gt' } as const)[operator]]: value } }
}
