// What checkEtag and setEtag can be given: data whose tag changes with it, as far as the compiler
// can see.
import * as t from 'io-ts'
import { type Context, checkEtag, setEtag } from 'koa-smorest'

const Pet = t.strict({ name: t.string, version: t.number }, 'Pet')
type Pet = t.TypeOf<typeof Pet>
declare const context: Context
declare const stored: Pet

checkEtag(context, stored)
checkEtag(context, stored, ['version', 'name'])
checkEtag(context, stored, Pet)
checkEtag(context, stored as Pet | undefined, ['version'])
checkEtag(context, stored as unknown, ['version'])
checkEtag(context, JSON.parse('{}'), ['version'])
setEtag(context, [stored.name, 1])
setEtag(context, null)

// @ts-expect-error the data has no field of this name
checkEtag(context, stored, ['versoin'])
// @ts-expect-error it is a promise
checkEtag(context, Promise.resolve(stored))
// @ts-expect-error it may be a promise
setEtag(context, stored as Pet | Promise<Pet>, Pet)
// @ts-expect-error every Map would have one tag
setEtag(context, new Map<string, Pet>())
// @ts-expect-error every function would have one tag
setEtag(context, () => stored)
