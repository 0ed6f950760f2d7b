import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  files,
  type InputOf,
  json,
  MethodView,
  operation,
  response,
  struct,
  Upload,
} from 'koa-smorest'

const Note = t.strict({ id: t.number, text: t.string }, 'Note')
const Attachment = struct({ file: Upload }, 'Attachment')

export const notes = new Blueprint('notes', { urlPrefix: '/notes' })

class Notes extends MethodView {
  static get = operation('List the notes', response(t.array(Note)))
  get(_ctx: Context) {
    return [{ id: 1, text: 'Feed the cat', author: 'not declared' }]
  }

  static post = operation('Write a note', json(Note), response(Note, { code: 201 }))
  post(_ctx: Context, note: t.TypeOf<typeof Note>) {
    return note
  }
}

class Attachments extends MethodView {
  static post = operation('Attach a file', files(Attachment), response(t.string))
  post(_ctx: Context, { file }: InputOf<typeof Attachment>) {
    return file.text()
  }
}

notes.route('/', Notes)
notes.route('/attachments', Attachments)
