// Entity tags: a 304 for what the client has, and no lost updates.
//
// $ curl -i localhost:3000/notes/1
// HTTP/1.1 200 OK
// ETag: "1"
//
// {"id":1,"version":1,"text":"Feed the cat"}
// $ curl -i localhost:3000/notes/1 -H 'If-None-Match: "1"'
// HTTP/1.1 304 Not Modified
// $ curl -X PUT localhost:3000/notes/1 --json '{"text":"Feed the dog"}'
// {"code":428,"status":"Precondition Required"}
// $ curl -X PUT localhost:3000/notes/1 -H 'If-Match: "1"' --json '{"text":"Feed the dog"}'
// {"id":1,"version":2,"text":"Feed the dog"}
// $ curl -X PUT localhost:3000/notes/1 -H 'If-Match: "1"' --json '{"text":"Feed the fish"}'
// {"code":412,"status":"Precondition Failed"}
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  etag,
  int,
  json,
  type OutputOf,
  operation,
  readOnly,
  response,
  struct,
} from 'koa-smorest'

const Note = struct({ id: readOnly(int), version: readOnly(int), text: t.string }, 'Note')
let note: OutputOf<typeof Note> = { id: 1, version: 1, text: 'Feed the cat' }

const loaded = etag({
  load: (_ctx, { noteId }: { noteId: number }) => (noteId === note.id ? note : undefined),
  tag: ({ version }) => version,
})

const notes = new Blueprint('notes', { urlPrefix: '/notes' })
  .get('/:noteId<int>', operation(loaded, response(Note)), (_ctx, { current }) => current)
  .put(
    '/:noteId<int>',
    operation(loaded, json(Note), response(Note)),
    (_ctx, { text }, { current }) => {
      note = { ...current, version: current.version + 1, text }
      return note
    },
  )

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(notes)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
