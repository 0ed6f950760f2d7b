import { createHash } from 'node:crypto'
import { EventEmitter, on } from 'node:events'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  apiKey,
  Blueprint,
  bytes,
  type Context,
  download,
  event,
  events,
  files,
  form,
  type InputOf,
  int,
  json,
  lines,
  MethodView,
  maxLength,
  maxSize,
  minLength,
  nullable,
  type OutputOf,
  operation,
  optional,
  Page,
  paginate,
  partial,
  query,
  readOnly,
  reply,
  response,
  secure,
  struct,
  Upload,
} from 'koa-smorest'
import type { ContractOptions } from 'koa-smorest/testing'

// Folders of several users, and the files in them: uploaded, downloaded, replaced, moved.

export const faults = [
  'contents are kept as text',
  'contents lose their last byte',
  'contents end at 1000 bytes',
  'size counts characters',
  'the hash stays when the content is replaced',
  'the download is that of the file before',
  'replacing a content writes the first of the folder',
  'a tag for each size',
  'folders of others are read',
  'folders of others are deleted',
  'files of others are downloaded',
  'files of others are renamed',
  'everybody lists all folders',
  'files outlive their folder',
  'contents outlive their file',
  'renaming forgets the note',
  'files move into folders of others',
  'the export breaks off',
  'the export lacks the last file',
  'changes have another shape',
  'empty files crash',
  'names beyond ASCII crash the download',
  'names are turned into lower case',
  'a name may be taken twice',
  'the list of a folder lists all files',
  'the media type is lost',
  'notes keep their first line only',
  'name filter is a beginning',
  'an empty content never comes',
  'two uploads share an id',
  'PUT of a folder renames them all',
  'the count of files is that of yesterday',
] as const

type User = { name: string; key: string }
const users: readonly User[] = [
  { name: 'ann', key: 'sesame-of-ann' },
  { name: 'bob', key: 'sesame-of-bob' },
]

const Name = maxLength(minLength(t.string, 1), 60)
const Folder = struct(
  { id: readOnly(int), name: Name, files: readOnly(int), version: readOnly(int) },
  'Folder',
)
type Folder = OutputOf<typeof Folder>
type NewFolder = InputOf<typeof Folder>

const File = struct(
  {
    id: readOnly(int),
    folder: int,
    name: Name,
    note: optional(nullable(maxLength(t.string, 300))),
    mediaType: readOnly(t.string),
    size: readOnly(int),
    sha256: readOnly(t.string),
  },
  'File',
)
type File = OutputOf<typeof File>
const FileChanges = partial(File, 'FileChanges')
type FileChanges = InputOf<typeof FileChanges>

const Described = struct({ note: optional(maxLength(t.string, 300)) })
const Content = struct({ file: maxSize(Upload, 100_000) })
const Search = struct({ name: optional(Name) })

export function drive(is: (fault: (typeof faults)[number]) => boolean) {
  const folders = new Map<number, Omit<Folder, 'files'> & { owner: string }>()
  const all = new Map<number, File>()
  const contents = new Map<number, Buffer>()
  const changed = new EventEmitter().setMaxListeners(0)
  let lastFolder = 0
  let lastFile = 0
  let downloaded: Buffer | undefined

  const describe = (content: Buffer) => ({
    size: is('size counts characters') ? content.toString().length : content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  })
  const store = (id: number, content: Buffer) => {
    let kept = content
    if (is('contents are kept as text')) kept = Buffer.from(content.toString())
    if (is('contents lose their last byte')) kept = content.subarray(0, -1)
    if (is('contents end at 1000 bytes')) kept = content.subarray(0, 1000)
    contents.set(id, kept)
  }
  const addFile = (folder: number, name: string, mediaType: string, content: Buffer) => {
    const id = is('two uploads share an id') ? Math.max(0, ...all.keys()) || 1 : ++lastFile
    const file: File = { id, folder, name, mediaType, ...describe(content) }
    all.set(id, file)
    store(id, content)
    changed.emit('change', file)
    return file
  }

  const reset = () => {
    folders.clear()
    all.clear()
    contents.clear()
    lastFolder = 0
    lastFile = 0
    downloaded = undefined
    for (const [name, owner] of [
      ['Taxes', 'ann'],
      ['Photos', 'ann'],
      ['Letters', 'bob'],
    ] as const)
      folders.set(++lastFolder, { id: lastFolder, name, owner, version: 1 })
    for (const [folder, name, text] of [
      [1, '2025.txt', 'none'],
      [1, '2026.txt', 'some'],
      [2, 'Dot.gif', 'GIF89a'],
      [3, 'Dear Ann.txt', 'Dear Ann, hello!'],
    ] as const) {
      lastFile++
      const content = Buffer.from(text)
      all.set(lastFile, {
        id: lastFile,
        folder,
        name,
        mediaType: 'text/plain',
        ...describe(content),
      })
      contents.set(lastFile, content)
    }
  }
  reset()

  const key = apiKey('key', {
    in: 'header',
    name: 'X-Key',
    principal: text => users.find(user => user.key === text),
    identify: user => user.name,
  })
  const filesOf = (folder: number) => [...all.values()].filter(file => file.folder === folder)
  const show = (folder: Omit<Folder, 'files'>): Folder => ({
    ...folder,
    files: is('the count of files is that of yesterday')
      ? Math.min(filesOf(folder.id).length, 2)
      : filesOf(folder.id).length,
  })
  const folderOf = (id: number, user: User, open = false) => {
    const folder = folders.get(id)
    return folder && (folder.owner === user.name || open) ? folder : abort(404)
  }
  const fileOf = (id: number, user: User, open = false) => {
    const file = all.get(id) ?? abort(404)
    const folder = folders.get(file.folder)
    if (!open && folder?.owner !== user.name && !(is('files outlive their folder') && !folder))
      abort(404)
    return file
  }

  type Caller = { principal: User }
  class Folders extends MethodView {
    static shared = operation(secure(key))

    static get = operation('My folders', query(Search), paginate(Page), response(t.array(Folder)))
    get(_ctx: Context, { name = '' }: InputOf<typeof Search>, { principal }: Caller): Folder[] {
      const fits = (folder: { name: string }) =>
        is('name filter is a beginning')
          ? folder.name.startsWith(name)
          : folder.name.toLowerCase().includes(name.toLowerCase())
      return [...folders.values()]
        .filter(({ owner }) => owner === principal.name || is('everybody lists all folders'))
        .filter(fits)
        .map(show)
    }

    static post = operation(
      'Make a folder',
      json(Folder),
      response(Folder, { code: 201 }),
      altResponse(409, { description: 'You have a folder of this name.' }),
    )
    post(_ctx: Context, { name }: NewFolder, { principal }: Caller) {
      const mine = [...folders.values()].filter(({ owner }) => owner === principal.name)
      if (mine.some(folder => folder.name === name) && !is('a name may be taken twice')) abort(409)
      const folder = {
        id: ++lastFolder,
        name: is('names are turned into lower case') ? name.toLowerCase() : name,
        owner: principal.name,
        version: 1,
      }
      folders.set(folder.id, folder)
      return reply(show(folder), 201, { Location: `/folders/${folder.id}` })
    }
  }

  class FolderById extends MethodView {
    static shared = operation(secure(key), altResponse(404))

    static get = operation('Find a folder', response(Folder))
    get(_ctx: Context, { id, principal }: Caller & { id: number }) {
      return show(folderOf(id, principal, is('folders of others are read')))
    }

    static put = operation('Rename a folder', json(Folder), response(Folder))
    put(_ctx: Context, { name }: NewFolder, { id, principal }: Caller & { id: number }) {
      const folder = folderOf(id, principal)
      const next = { ...folder, name, version: folder.version + 1 }
      folders.set(id, next)
      if (is('PUT of a folder renames them all'))
        for (const other of [...folders.values()]) folders.set(other.id, { ...other, name })
      return show(next)
    }

    static delete = operation('Delete a folder and its files', response({ code: 204 }))
    delete(_ctx: Context, { id, principal }: Caller & { id: number }) {
      folderOf(id, principal, is('folders of others are deleted'))
      folders.delete(id)
      if (is('files outlive their folder')) return
      for (const file of filesOf(id)) {
        all.delete(file.id)
        contents.delete(file.id)
      }
    }
  }

  class FilesOfFolder extends MethodView {
    static shared = operation(secure(key), altResponse(404))

    static get = operation('Files of a folder', paginate(Page), response(t.array(File)))
    get(_ctx: Context, { id, principal }: Caller & { id: number }): File[] {
      folderOf(id, principal)
      return is('the list of a folder lists all files') ? [...all.values()] : filesOf(id)
    }

    static post = operation(
      'Upload a file',
      form(Described),
      files(Content),
      response(File, { code: 201 }),
    )
    async post(
      _ctx: Context,
      { note }: InputOf<typeof Described>,
      { file }: InputOf<typeof Content>,
      { id, principal }: Caller & { id: number },
    ) {
      folderOf(id, principal)
      const content = Buffer.from(await file.bytes())
      if (is('empty files crash')) content.readUInt8()
      const name = [...(file.filename || 'unnamed')].slice(0, 60).join('')
      const mediaType = is('the media type is lost')
        ? 'application/octet-stream'
        : (file.mediaType ?? 'application/octet-stream')
      const added = addFile(id, name, mediaType, content)
      if (note !== undefined)
        added.note = is('notes keep their first line only') ? (note.split('\n')[0] ?? '') : note
      return reply(added, 201, { Location: `/files/${added.id}` })
    }
  }

  class FileById extends MethodView {
    static shared = operation(secure(key), altResponse(404))

    static get = operation('What is known about a file', response(File))
    get(_ctx: Context, { id, principal }: Caller & { id: number }) {
      return fileOf(id, principal)
    }

    static patch = operation(
      'Rename a file, or move it to another folder',
      json(FileChanges),
      response(File),
      altResponse(422, { description: 'No such folder.' }),
    )
    patch(_ctx: Context, changes: FileChanges, { id, principal }: Caller & { id: number }) {
      const file = fileOf(id, principal, is('files of others are renamed'))
      const target = changes.folder === undefined ? undefined : folders.get(changes.folder)
      const isAllowed =
        target && (target.owner === principal.name || is('files move into folders of others'))
      if (changes.folder !== undefined && !isAllowed) abort(422)
      const next = { ...file, ...changes }
      if (is('renaming forgets the note') && changes.note === undefined) delete next.note
      all.set(id, next)
      changed.emit('change', next)
      return next
    }

    static delete = operation('Delete a file', response({ code: 204 }))
    delete(_ctx: Context, { id, principal }: Caller & { id: number }) {
      fileOf(id, principal)
      all.delete(id)
      if (!is('contents outlive their file')) contents.delete(id)
    }
  }

  class ContentOfFile extends MethodView {
    static shared = operation(secure(key), altResponse(404))

    static get = operation(
      'Download',
      response({ contentType: 'application/octet-stream' }),
      altResponse(206, { contentType: 'application/octet-stream' }),
      altResponse(304),
      altResponse(412),
      altResponse(416),
    )
    async get(ctx: Context, { id, principal }: Caller & { id: number }) {
      const file =
        is('contents outlive their file') && !all.has(id)
          ? undefined
          : fileOf(id, principal, is('files of others are downloaded'))
      let content = contents.get(id) ?? abort(404)
      if (is('the download is that of the file before')) {
        const earlier = downloaded ?? content
        downloaded = content
        content = earlier
      }
      if (is('an empty content never comes') && content.length === 0)
        await new Promise(resolve => setTimeout(resolve, 60_000).unref())
      if (is('names beyond ASCII crash the download'))
        ctx.set('X-File', file?.name.replace(/[\r\n]/g, '') ?? '')
      if (is('a tag for each size')) {
        ctx.set('ETag', `"${content.length}"`)
        return content
      }
      return download(content, { name: file?.name ?? 'file' })
    }

    static put = operation('Replace the content', bytes({ maxSize: 100_000 }), response(File))
    put(_ctx: Context, body: Uint8Array, { id, principal }: Caller & { id: number }) {
      const file = fileOf(id, principal)
      const content = Buffer.from(body)
      const [first] = filesOf(file.folder)
      store(
        is('replacing a content writes the first of the folder') && first ? first.id : id,
        content,
      )
      const next = { ...file, ...describe(content) }
      if (is('the hash stays when the content is replaced')) next.sha256 = file.sha256
      all.set(id, next)
      changed.emit('change', next)
      return next
    }
  }

  const FileRef = struct({ id: int, name: t.string }, 'FileRef')
  class Changes extends MethodView {
    static get = operation('Watch my files', secure(key), events({ file: FileRef }))
    async *get(_ctx: Context, { signal, principal }: Caller & { signal: AbortSignal }) {
      const mine = [...all.values()].filter(
        file => folders.get(file.folder)?.owner === principal.name,
      )
      for (const file of mine)
        yield event(
          'file',
          is('changes have another shape') ? ({ ...file, name: undefined } as never) : file,
        )
      for await (const [file] of on(changed, 'change', { signal }))
        if (folders.get(file.folder)?.owner === principal.name) yield event('file', file as File)
    }
  }

  class Export extends MethodView {
    static get = operation('All my files', secure(key), lines(File))
    async *get(_ctx: Context, { principal }: Caller) {
      const mine = [...all.values()].filter(
        file => folders.get(file.folder)?.owner === principal.name,
      )
      if (is('the export lacks the last file')) mine.pop()
      for (const [index, file] of mine.entries()) {
        if (index === 2 && is('the export breaks off')) throw new Error('disk')
        yield file
      }
    }
  }

  const blueprint = new Blueprint('drive')
    .route('/folders', Folders)
    .route('/folders/:id<int>', FolderById)
    .route('/folders/:id<int>/files', FilesOfFolder)
    .route('/files/:id<int>', FileById)
    .route('/files/:id<int>/content', ContentOfFile)
    .route('/changes', Changes)
    .route('/export', Export)

  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const options: ContractOptions = {
    reset,
    as: { key: ['sesame-of-ann', 'sesame-of-bob'] },
    unreachable: {
      'PUT /files/{id}/content 400': 'no compressed bytes are sent',
      'PUT /files/{id}/content 413': 'no body is too large',
      'GET /changes 204': 'there are always more to come',
    },
  }
  return { app, api, options }
}
