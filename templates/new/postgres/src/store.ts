import { rows } from 'koa-smorest/kysely'
import { type Generated, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { NewTask, Task } from './tasks.js'

interface Tables {
  tasks: { id: Generated<number>; title: string; done: boolean; version: Generated<number> }
}

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  connectionTimeoutMillis: 5_000,
})
// a connection that breaks while nobody uses it is replaced
pool.on('error', () => undefined)
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

const UNIQUE_VIOLATION = '23505'
const taken = <Fallback>(error: unknown, fallback: Fallback): Fallback => {
  if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return fallback
  throw error
}

/** The tasks, in the table `tasks` of the database at DATABASE_URL. */
export const store = {
  list: () => rows(db.selectFrom('tasks').selectAll()),

  find: (id: number): Promise<Task | undefined> =>
    db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst(),

  /** Returns undefined if another task has the title. */
  add: (task: NewTask): Promise<Task | undefined> =>
    db
      .insertInto('tasks')
      .values(task)
      .returningAll()
      .executeTakeFirst()
      .catch(error => taken(error, undefined)),

  /** Replaces the version that was read; returns undefined if the task has changed since. */
  replace: ({ id, version }: Task, task: NewTask): Promise<Task | 'taken' | undefined> =>
    db
      .updateTable('tasks')
      .set({ ...task, version: version + 1 })
      .where('id', '=', id)
      .where('version', '=', version)
      .returningAll()
      .executeTakeFirst()
      .catch(error => taken(error, 'taken' as const)),

  /** Removes the version that was read; returns false if the task has changed since. */
  async remove({ id, version }: Task): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('tasks')
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },

  async clear(): Promise<void> {
    await sql`truncate tasks restart identity`.execute(db)
  },

  /** Creates the table, if it does not exist. */
  async open(): Promise<void> {
    if (!process.env.DATABASE_URL)
      throw new Error(
        'DATABASE_URL must be the URL of a PostgreSQL database, such as postgres://user:password@127.0.0.1:5432/name',
      )
    await sql`
      create table if not exists tasks (
        id integer generated always as identity primary key,
        title text not null unique,
        done boolean not null,
        version integer not null default 1
      )`.execute(db)
  },

  async ready(): Promise<void> {
    await sql`select 1`.execute(db)
  },

  close: (): Promise<void> => db.destroy(),
}
