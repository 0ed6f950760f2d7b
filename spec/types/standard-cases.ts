// Schemas of other libraries as codecs: their types in the program and on the wire, and what the
// compiler says of a schema that is not wrapped. compilers.spec.ts reads the marks.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  Blueprint,
  type Context,
  events,
  headers,
  int,
  json,
  lines,
  MethodView,
  mergePatch,
  operation,
  optional,
  type PathsOf,
  problem,
  query,
  response,
  struct,
  type WireInputOf,
  type WireOutputOf,
  webhook,
} from 'koa-smorest'
import { type InferOutput, standard, std } from 'koa-smorest/standard'
import * as v from 'valibot'
import * as z from 'zod'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isTrue = <T extends true>(..._: T[]): void => undefined

const Pet = z.object({ name: z.string(), age: z.coerce.number().default(1) })
const Note = v.object({ text: v.string(), stars: v.optional(v.number(), 3) })
const Place = type({ city: 'string', 'zip?': 'string' })
const PetCodec = std(Pet)
const NoteCodec = std(toStandardJsonSchema(Note))
const PlaceCodec = std(Place)

isTrue<Equal<t.TypeOf<typeof PetCodec>, { name: string; age: number }>>()
isTrue<Equal<WireInputOf<typeof PetCodec>, z.input<typeof Pet>>>()
isTrue<Equal<WireOutputOf<typeof PetCodec>, z.output<typeof Pet>>>()
isTrue<Equal<WireInputOf<typeof NoteCodec>, { text: string; stars?: number | undefined }>>()
isTrue<Equal<WireOutputOf<typeof NoteCodec>, { text: string; stars: number }>>()
isTrue<Equal<t.TypeOf<typeof PlaceCodec>, { city: string; zip?: string }>>()

// inside of codecs of io-ts, and those as schemas of the standard
const Holder = struct({ pets: t.array(PetCodec), place: optional(PlaceCodec), size: int })
isTrue<Equal<t.TypeOf<typeof Holder>['pets'], { name: string; age: number }[]>>()
isTrue<Equal<WireInputOf<typeof Holder>['pets'], z.input<typeof Pet>[]>>()
isTrue<Equal<WireOutputOf<typeof Holder>['pets'], z.output<typeof Pet>[]>>()
const AsStandard = standard(Holder)
isTrue<Equal<InferOutput<typeof AsStandard>, t.TypeOf<typeof Holder>>>()

// a view, and the paths of its clients
class Pets extends MethodView {
  static post = operation(json(std(Pet)), response(std(Pet), { code: 201 }))
  post(_ctx: Context, pet: z.output<typeof Pet>) {
    return { ...pet, age: pet.age + 1 }
  }
}
const pets = new Blueprint('pets').route('/', Pets)
const api = new Api(new Koa()).registerBlueprint(pets)
type Paths = PathsOf<typeof api>
isTrue<
  Equal<
    Paths['/']['post']['requestBody']['content']['application/json'],
    { name: string; age?: unknown }
  >
>()
isTrue<
  Equal<
    Paths['/']['post']['responses'][201]['content']['application/json'],
    { name: string; age: number }
  >
>()

class WrongPets extends MethodView {
  static post = operation(json(std(Pet)), response(std(Pet)))
  post(_ctx: Context, pet: { name: number }) {
    return { name: String(pet.name), age: 1 }
  }
}
// @ts-expect-error "post() does not match its descriptor: argument 1 after ctx is": { name: string; }
new Blueprint('wrong').route('/', WrongPets)

// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
json(Pet)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
query(Place, { required: false })
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
headers(Note)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
response(Pet)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
response(Pet, { code: 201 })
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
altResponse(409, Pet)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
altResponse(409, Place, { description: 'Taken' })
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
mergePatch(Pet)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
lines(Pet)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
lines(Place, { stall: '5s' })
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
events(Pet)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
events({ pet: Pet, place: PlaceCodec })
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
webhook('pet.changed', Pet)
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
problem('taken', { status: 409, title: 'Taken', data: Pet })
// @ts-expect-error wrap it: std(schema), from koa-smorest/standard
api.spec.define(Pet)
// @ts-expect-error std(toStandardJsonSchema(schema)), from @valibot/to-json-schema
std(Note)
// @ts-expect-error is not assignable to parameter of type
json('name')
