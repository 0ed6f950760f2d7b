import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  bearer,
  type Context,
  decimal,
  etag,
  files,
  int,
  isoDate,
  json,
  keyset,
  maxItems,
  maximum,
  maxLength,
  minimum,
  minLength,
  nullable,
  operation,
  optional,
  Page,
  paginate,
  query,
  readOnly,
  redirect,
  reply,
  response,
  secure,
  struct,
  Upload,
  withDefault,
} from 'koa-smorest'
import type { ContractOptions } from 'koa-smorest/testing'

// Projects of two people, with tasks, notes, files and settings: an application that is sound, or
// has one fault of those that developers make. `plan` says which law has to find each.

const Title = maxLength(minLength(t.string, 1), 30)
const Kind = t.keyof({ bug: null, idea: null, chore: null }, 'Kind')
const Project = struct(
  {
    id: readOnly(int),
    name: Title,
    budget: withDefault(decimal, '0'),
    note: optional(maxLength(t.string, 40)),
    size: readOnly(optional(int)),
  },
  'Project',
)
const Task = struct(
  {
    id: readOnly(int),
    projectId: readOnly(int),
    title: Title,
    kind: Kind,
    effort: withDefault(maximum(minimum(int, 0), 100), 1),
    done: withDefault(t.boolean, false),
    due: withDefault(nullable(isoDate), null),
    tags: withDefault(maxItems(t.array(maxLength(t.string, 10)), 4), []),
  },
  'Task',
)
const Change = struct(
  {
    title: optional(Title),
    effort: optional(maximum(minimum(int, 0), 100)),
    done: optional(t.boolean),
  },
  'Change',
)
const Filter = struct({
  kind: optional(Kind),
  done: optional(t.boolean),
  title: optional(maxLength(t.string, 30)),
  minEffort: optional(int),
  until: optional(isoDate),
})
const Setting = struct({ value: maxLength(t.string, 20) }, 'Setting')
const File = struct({ id: int, size: int }, 'File')
type Project = t.TypeOf<typeof Project>
type Task = t.TypeOf<typeof Task>

/** Each fault, and the check that has to find it. */
export const plan: Readonly<Record<string, string>> = {
  'a field is stored in small letters': 'law: echo',
  'a number is stored without its sign': 'law: echo',
  'a default is not applied': 'law: echo',
  'spaces are trimmed': 'law: echo',
  'false is not stored': 'law: echo',
  'a list is sorted': 'law: echo',
  'a response shows what was not stored': 'law: echo',
  'an action shows another state than GET': 'law: read back',
  'a PATCH resets another field': 'law: patch',
  'a PATCH does not store 0': 'law: patch',
  'a PUT keeps a field that was left out': 'law: PUT replaces',
  'a PUT adds to what is there': 'law: PUT twice',
  'a filter is ignored': 'law: filter',
  'a filter of false selects all': 'law: filter',
  'a minimum is exclusive': 'law: filter',
  'a search is case-sensitive to nothing': 'law: filter',
  'an end is ignored': 'law: filter',
  'a total is that of everything': 'law: filter',
  'others can read': 'law: others',
  'others can delete': 'law: others',
  'others can act': 'law: others',
  'a parent is not looked at': 'law: parents',
  'a change through another parent': 'law: parents',
  'a creation shows in two lists': 'law: parents',
  'a creation replaces the last row': 'law: list',
  'a deletion removes two': 'law: list',
  'a list shows another title': 'law: listed',
  'a list shows what is gone': 'law: listed',
  'a Location leads nowhere': 'law: Location',
  'a Location leads to another thing': 'law: Location',
  'a tag forgets a field': 'law: tags',
  'an upload loses bytes': 'law: bytes',
  'a size counts characters': 'law: bytes',
  'a redirect goes round': 'law: redirects',
  'a redirect leads nowhere': 'law: redirects',
  'a PUT creates twice': 'law: creation by PUT',
  'a creating PUT is broken': 'server error',
  'a sort loses a row': 'law: all sorts',
  'pages have no end': 'law: all pages together are the list',
  'two at once are both created': 'law: two at once',
  'a long title fails': 'server error',
  'an emoji is a fault': 'server error',
  'no tags are a fault': 'server error',
  'a quote is escaped': 'law: echo',
}

type Owned = Project & { owner: string; version: number }

export function createTasks(fault = '') {
  const is = (name: keyof typeof plan) => fault === name
  let projects = new Map<number, Owned>()
  let tasks = new Map<number, Task>()
  let settings = new Map<string, { value: string; version: number }>()
  let contents = new Map<number, Uint8Array>()
  let last = 0
  const addProject = (owner: string, given: Omit<Project, 'id'>) => {
    const project = { ...given, id: ++last, owner, version: 1 }
    projects.set(last, project)
    return project
  }
  const addTask = (projectId: number, given: Omit<Task, 'id' | 'projectId'>) => {
    const task = { ...given, projectId, id: ++last }
    tasks.set(last, task)
    return task
  }
  const reset = () => {
    ;[projects, tasks, settings, contents] = [new Map(), new Map(), new Map(), new Map()]
    last = 0
    const [one, two] = ['ann', 'bob', 'ann'].map(owner =>
      addProject(owner, { name: `of ${owner} ${last}`, budget: '1.5' }),
    )
    for (const [index, kind] of (['bug', 'idea', 'chore', 'bug', 'bug'] as const).entries())
      for (const { id } of [one, two] as Owned[])
        addTask(id, {
          title: `Task ${index}`,
          kind,
          effort: index,
          done: index % 2 === 0,
          due: index === 0 ? null : `2030-0${index}-01`,
          tags: ['b', 'a'],
        })
    settings.set('theme', { value: 'dark', version: 1 })
  }
  const login = bearer('login', {
    principal: token =>
      ({ 'sesame-root': 'root', 'sesame-ann': 'ann', 'sesame-bob': 'bob' })[token],
  })
  const mayReach = (who: string, { owner }: Owned) => who === 'root' || who === owner
  const projectOf = (who: string, id: number, passes = false) => {
    const found = projects.get(id)
    return found && (passes || mayReach(who, found)) ? found : abort(404)
  }
  const taskOf = (who: string, projectId: number, id: number, passes = false) => {
    const found = tasks.get(id)
    projectOf(who, projectId)
    return found && (passes || found.projectId === projectId) ? found : abort(404)
  }
  const stored = (given: Omit<Task, 'id' | 'projectId'>): Omit<Task, 'id' | 'projectId'> => {
    if (is('a long title fails') && given.title.length === 30) throw new Error('too long')
    if (is('an emoji is a fault') && /\p{Emoji_Presentation}/u.test(given.title))
      throw new Error('emoji')
    if (is('no tags are a fault') && given.tags.length === 0) throw new Error('no tags')
    return {
      ...given,
      ...(is('a field is stored in small letters') && { title: given.title.toLowerCase() }),
      ...(is('a default is not applied') && { effort: given.effort === 1 ? 2 : given.effort }),
      ...(is('spaces are trimmed') && { title: given.title.trim() || 'a' }),
      ...(is('false is not stored') && { done: given.done || true }),
      ...(is('a list is sorted') && { tags: [...given.tags].sort() }),
      ...(is('a quote is escaped') && { title: given.title.replaceAll("'", "''").slice(0, 30) }),
    }
  }
  const missing = altResponse(404)
  const guard = secure(login)
  const all = new Blueprint('tasks', { urlPrefix: '/projects' })
  all.get('/', operation(guard, response(t.array(Project))), (_ctx, { principal }) =>
    [...projects.values()].filter(one => mayReach(principal, one)),
  )
  all.post(
    '/',
    operation(
      guard,
      json(Project),
      response(Project, {
        code: 201,
        headers: { Location: { required: true, schema: { type: 'string' } } },
      }),
      altResponse(409),
    ),
    async (_ctx, given, { principal }) => {
      const isTaken = () => [...projects.values()].some(one => one.name === given.name)
      const taken = isTaken()
      if (is('two at once are both created')) await new Promise(setImmediate)
      if (taken) abort(409)
      const made = addProject(principal, given)
      if (is('a number is stored without its sign')) made.budget = made.budget.replace('-', '')
      const place = is('a Location leads nowhere')
        ? made.id + 1000
        : is('a Location leads to another thing')
          ? 1
          : made.id
      return reply(made, 201, { Location: `/projects/${place}` })
    },
  )
  all.get(
    '/:projectId<int>',
    operation(
      guard,
      etag({
        load: (_ctx: Context, { projectId, principal }: { projectId: number; principal: string }) =>
          projectOf(principal, projectId, is('others can read')),
        tag: (one: Owned) => (is('a tag forgets a field') ? `${one.id}-${one.name}` : one.version),
      }),
      response(Project),
      missing,
    ),
    (_ctx, { current }) => current,
  )
  all.put(
    '/:projectId<int>',
    operation(guard, json(Project), response(Project), missing),
    (_ctx, given, { projectId, principal }) => {
      const current = projectOf(principal, projectId)
      const { note: _, ...rest } = current
      const base = is('a PUT keeps a field that was left out') ? current : rest
      const next: Owned = {
        ...base,
        ...given,
        id: current.id,
        owner: current.owner,
        version: current.version + 1,
      }
      if (is('a PUT adds to what is there')) next.budget = String(Number(current.budget) + 1)
      if (is('a response shows what was not stored')) return { ...next }
      projects.set(projectId, next)
      return is('a PUT adds to what is there') ? { ...next, budget: given.budget } : next
    },
  )
  all.delete(
    '/:projectId<int>',
    operation(guard, response({ code: 204 }), missing),
    (_ctx, { projectId, principal }) => {
      projectOf(principal, projectId, is('others can delete'))
      projects.delete(projectId)
      if (is('a deletion removes two')) projects.delete([...projects.keys()][0] as number)
    },
  )
  all.post(
    '/:projectId<int>/archive',
    operation(guard, response(Project), missing),
    (_ctx, { projectId, principal }) => {
      const current = projectOf(principal, projectId, is('others can act'))
      const archived = { ...current, note: 'archived', version: current.version + 1 }
      if (!is('an action shows another state than GET')) projects.set(projectId, archived)
      return archived
    },
    { endpoint: 'archive' },
  )
  const ofProject = (who: string, projectId: number) => {
    projectOf(who, projectId)
    return [...tasks.values()].filter(
      one => one.projectId === projectId || (is('a creation shows in two lists') && one.id > 13),
    )
  }
  all.get(
    '/:projectId<int>/tasks',
    operation(guard, query(Filter), paginate(Page), response(t.array(Task)), missing),
    (_ctx, { kind, done, title, minEffort, until }, { projectId, principal }) => {
      const rows = ofProject(principal, projectId)
      const selected = rows.filter(
        one =>
          (kind === undefined || is('a filter is ignored') || one.kind === kind) &&
          (is('a filter of false selects all')
            ? !done || one.done
            : done === undefined || one.done === done) &&
          (title === undefined ||
            is('a search is case-sensitive to nothing') ||
            one.title.toLowerCase().includes(title.toLowerCase())) &&
          (minEffort === undefined ||
            (is('a minimum is exclusive') ? one.effort > minEffort : one.effort >= minEffort)) &&
          (until === undefined ||
            is('an end is ignored') ||
            (one.due !== null && one.due <= until)),
      )
      if (is('a total is that of everything') && selected.length < rows.length)
        return { items: selected, total: rows.length } as never
      if (is('a list shows another title'))
        return selected.map(one => ({ ...one, title: one.title.slice(0, 5) }))
      return is('a list shows what is gone')
        ? [...selected, { ...(selected[0] ?? (rows[0] as Task)), id: 4711 }]
        : selected
    },
  )
  all.post(
    '/:projectId<int>/tasks',
    operation(guard, json(Task), response(Task, { code: 201 }), missing),
    (_ctx, given, { projectId, principal }) => {
      projectOf(principal, projectId)
      if (is('a creation replaces the last row'))
        tasks.delete([...tasks.values()].findLast(one => one.projectId === projectId)?.id ?? 0)
      return addTask(projectId, stored(given))
    },
  )
  all.get(
    '/:projectId<int>/tasks/:taskId<int>',
    operation(guard, response(Task), missing),
    (_ctx, { projectId, taskId, principal }) =>
      taskOf(principal, projectId, taskId, is('a parent is not looked at')),
  )
  all.patch(
    '/:projectId<int>/tasks/:taskId<int>',
    operation(guard, json(Change), response(Task), missing),
    (_ctx, { title, effort, done }, { projectId, taskId, principal }) => {
      const current = taskOf(principal, projectId, taskId, is('a change through another parent'))
      const next = {
        ...current,
        ...(title !== undefined && { title }),
        ...((is('a PATCH does not store 0') ? effort : effort !== undefined) && {
          effort: effort as number,
        }),
        ...(is('a PATCH resets another field')
          ? { done: done ?? false }
          : done !== undefined && { done }),
      }
      tasks.set(taskId, next)
      return next
    },
  )
  all.put(
    '/:projectId<int>/file',
    operation(guard, files(t.type({ file: Upload })), response(File), missing),
    async (_ctx, { file }, { projectId, principal }) => {
      projectOf(principal, projectId)
      const bytes = Buffer.from(await file.bytes())
      contents.set(
        projectId,
        is('an upload loses bytes') ? Buffer.from(bytes.toString('utf8')) : bytes,
      )
      return {
        id: projectId,
        size: is('a size counts characters') ? bytes.toString('utf8').length : bytes.length,
      }
    },
  )
  all.get(
    '/:projectId<int>/file',
    operation(guard, response({ contentType: 'application/octet-stream' }), missing),
    (_ctx, { projectId, principal }) => {
      projectOf(principal, projectId)
      return Buffer.from(contents.get(projectId) ?? abort(404))
    },
  )
  const more = new Blueprint('more')
  more.get(
    '/walk',
    operation(
      keyset({ unique: 'id', sorts: { id: ['id'], effort: ['effort'] } }),
      response(t.array(Task)),
    ),
    ({ query: { sort } }) => {
      const rows = [...tasks.values()]
      return is('a sort loses a row') && sort === 'effort'
        ? rows.filter(one => one.effort !== 3 || Math.random() < 0.5)
        : rows
    },
  )
  more.get('/latest', operation(response({ code: 307 })), () =>
    redirect(
      is('a redirect goes round')
        ? '/latest'
        : is('a redirect leads nowhere')
          ? '/settings/none'
          : '/settings/theme',
      307,
    ),
  )
  const tagged = etag({
    load: (_ctx: Context, { key }: { key: string }) => settings.get(key),
    tag: (one: { version: number }) => one.version,
    create: true,
  })
  more.get(
    '/settings/:key',
    operation(etag(), response(Setting), missing),
    (_ctx, { key }) => settings.get(key) ?? abort(404),
  )
  more.put(
    '/settings/:key',
    operation(tagged, json(Setting), response(Setting), altResponse(201)),
    (_ctx, given, { key, current }) => {
      const made = { ...given, version: (current?.version ?? 0) + 1 }
      if (!current && is('a creating PUT is broken')) throw new Error('creation is broken')
      settings.set(key, made)
      return reply(made, current || is('a PUT creates twice') ? 200 : 201) as never
    },
  )
  const app = new Koa()
  app.silent = true
  if (is('pages have no end'))
    app.use((ctx, next) => {
      if (ctx.path === '/walk' && ctx.query.cursor)
        ctx.querystring = ctx.querystring.replace(/&?cursor=[^&]*/, '')
      return next()
    })
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
  api.registerBlueprint(all).registerBlueprint(more)
  reset()
  const options: ContractOptions = {
    reset,
    as: { login: ['sesame-root', 'sesame-ann', 'sesame-bob'] },
  }
  return { app, api, options }
}
