import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  etag,
  type InputOf,
  int,
  json,
  keyset,
  MethodView,
  maxLength,
  minLength,
  type OutputOf,
  open,
  operation,
  pattern,
  problem,
  readOnly,
  reply,
  response,
  struct,
  withDefault,
} from 'koa-smorest'
import { store } from './store.js'

// no control characters: databases refuse some of them
const Title = pattern(maxLength(minLength(t.string, 1), 100), '^[^\\x00-\\x1f\\x7f]+$')

export const Task = struct(
  {
    id: readOnly(int),
    title: Title,
    done: withDefault(t.boolean, false),
    version: readOnly(int),
  },
  'Task',
)
/** A task, as responses have it. */
export type Task = OutputOf<typeof Task>
/** A task, as requests have it. */
export type NewTask = InputOf<typeof Task>

const TitleTaken = problem('title-taken', { status: 409, title: 'Another task has this title' })

class Tasks extends MethodView {
  static get = operation(
    'List the tasks',
    keyset({ unique: 'id', sorts: { oldest: ['id'], newest: ['-id'], title: ['title'] } }),
    response(t.array(Task)),
  )
  get() {
    return store.list()
  }

  static post = operation(
    'Add a task',
    json(Task),
    response(Task, { code: 201 }),
    altResponse(TitleTaken),
  )
  async post(_ctx: Context, task: NewTask) {
    const added = (await store.add(task)) ?? abort(TitleTaken)
    return reply(added, 201, { Location: `/tasks/${added.id}` })
  }
}

class TaskById extends MethodView {
  // loads the task before the method runs: 404 without one, 412 if it has changed since it was read
  static shared = operation(
    etag({
      load: (_ctx, { taskId }: { taskId: number }) => store.find(taskId),
      tag: task => task.version,
    }),
  )

  static get = operation('Find a task', response(Task))
  get(_ctx: Context, { current }: { current: Task }) {
    return current
  }

  static put = operation('Replace a task', json(Task), response(Task), altResponse(TitleTaken))
  async put(_ctx: Context, task: NewTask, { current }: { current: Task }) {
    const replaced = await store.replace(current, task)
    if (replaced === 'taken') abort(TitleTaken)
    return replaced ?? abort(412)
  }

  static delete = operation('Remove a task', response({ code: 204 }))
  async delete(_ctx: Context, { current }: { current: Task }) {
    if (!(await store.remove(current))) abort(412)
  }
}

export const tasks = new Blueprint('tasks', { urlPrefix: '/tasks', shared: operation(open()) })
  .route('', Tasks)
  .route('/:taskId<int(max=2147483647)>', TaskById)
