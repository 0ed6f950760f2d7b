import type { NewTask, Task } from './tasks.js'

const tasks = new Map<number, Task>()
let lastId = 0

const isTaken = (title: string, id?: number) =>
  [...tasks.values()].some(task => task.title === title && task.id !== id)

/** The tasks, in memory: they are gone when the process ends. */
export const store = {
  list: (): Task[] => [...tasks.values()],

  find: (id: number): Task | undefined => tasks.get(id),

  /** Returns undefined if another task has the title. */
  add(task: NewTask): Task | undefined {
    if (isTaken(task.title)) return undefined
    const added = { id: ++lastId, ...task, version: 1 }
    tasks.set(added.id, added)
    return added
  },

  /** Replaces the version that was read; returns undefined if the task has changed since. */
  replace({ id, version }: Task, task: NewTask): Task | 'taken' | undefined {
    if (tasks.get(id)?.version !== version) return undefined
    if (isTaken(task.title, id)) return 'taken'
    const replaced = { id, ...task, version: version + 1 }
    tasks.set(id, replaced)
    return replaced
  },

  /** Removes the version that was read; returns false if the task has changed since. */
  remove: ({ id, version }: Task): boolean =>
    tasks.get(id)?.version === version && tasks.delete(id),

  clear(): void {
    tasks.clear()
    lastId = 0
  },

  async open(): Promise<void> {},
  async ready(): Promise<void> {},
  async close(): Promise<void> {},
}
