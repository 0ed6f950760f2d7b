// The fields of a pet, for the servers that serve pets with koa-smorest: of whichever build of the
// library they measure.
import * as t from 'io-ts'

export function petFields(
  { int, isoDate, maxItems, maximum, maxLength, minimum, minLength },
  kinds,
) {
  return {
    name: minLength(maxLength(t.string, 100), 1),
    kind: t.keyof(Object.fromEntries(kinds.map(kind => [kind, null]))),
    age: minimum(maximum(int, 100), 0),
    weight: minimum(t.number, 0),
    vaccinated: t.boolean,
    born: isoDate,
    tags: maxItems(t.array(t.string), 10),
    owner: t.strict({ name: t.string, phone: t.string }),
  }
}
