// What the functions of etag({ load, view, tag }) are given beside what was loaded.
import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  etag,
  type Feature,
  MethodView,
  operation,
  response,
} from 'koa-smorest'

const Pet = t.strict({ name: t.string, version: t.number }, 'Pet')
type Pet = t.TypeOf<typeof Pet>
declare const find: (id: string) => Pet | undefined
declare const caller: Feature<{ named: { user: { name: string } } }>
type User = { user: { name: string } }
const pets = new Blueprint('pets')

// what `load` annotates is known to the others, which may ask for something else
etag({
  load: (_ctx, { id }: { id: string }) => find(id),
  tag: (pet, { id }) => `${id.length}-${pet.version}`,
})
const shown = etag({
  load: (_ctx, { id }: { id: string }) => find(id),
  view: (pet, { user }: User) => ({ ...pet, name: user.name }),
  tag: (pet, { user }) => `${user.name.length}-${pet.version}`,
})

class Shown extends MethodView {
  static get = operation(caller, shown, response(Pet))
  get(_ctx: Context, { current, user }: { current: Pet } & User) {
    return { ...current, name: user.name }
  }
}
pets.route('/:id', Shown)
// @ts-expect-error the loader needs an id
pets.route('/:petId', Shown)

class WithoutCaller extends MethodView {
  static get = operation(shown, response(Pet))
  get(_ctx: Context, { current }: { current: Pet }) {
    return current
  }
}
// @ts-expect-error the view of etag needs a user, whom nobody names
pets.route('/:id/without', WithoutCaller)
