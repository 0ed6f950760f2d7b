/** What an experiment is given. */
export interface Scope {
  /** Records a figure; where it is outside of its bounds, the experiment has failed. */
  figure(name: string, value: number | string, bounds?: Bounds): void
  /** Has something undone when the experiment is over, whatever happened; the last one first. */
  onEnd(undo: () => unknown): void
}

/** What a figure has to be. */
export interface Bounds {
  readonly atMost?: number
  readonly atLeast?: number
  readonly exactly?: number
}

/**
 * Numbers of requests and seconds are divided by it, to try an experiment quickly:
 * `PROVE_SCALE=10`. The bounds are for 1.
 */
export const scale = Number(process.env.PROVE_SCALE ?? 1)

/**
 * Runs an experiment and prints one line of JSON with its figures. Exits with 1 where a figure is
 * missed, or where the experiment could not be carried out.
 */
export async function experiment(
  id: string,
  title: string,
  run: (scope: Scope) => Promise<void>,
): Promise<void> {
  const figures: Record<string, number | string> = {}
  const missed: string[] = []
  const undos: (() => unknown)[] = []
  const began = performance.now()
  const scope: Scope = {
    figure(name, value, bounds = {}) {
      figures[name] = typeof value === 'number' ? Math.round(value * 100) / 100 : value
      for (const [bound, limit] of Object.entries(bounds)) {
        if (!HOLDS[bound as keyof Bounds](Number(value), limit))
          missed.push(`${name} is ${value}, ${bound} ${limit}`)
      }
    },
    onEnd: undo => undos.push(undo),
  }
  try {
    await run(scope)
  } catch (error) {
    missed.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  for (const undo of undos.reverse())
    await Promise.resolve(undo()).catch(error => missed.push(String(error)))
  const seconds = Math.round((performance.now() - began) / 100) / 10
  console.log(
    JSON.stringify({
      id,
      title,
      passed: missed.length === 0,
      seconds,
      figures,
      ...(missed.length > 0 && { missed }),
    }),
  )
  process.exit(missed.length === 0 ? 0 : 1)
}

const HOLDS: Record<keyof Bounds, (value: number, limit: number) => boolean> = {
  atMost: (value, limit) => value <= limit,
  atLeast: (value, limit) => value >= limit,
  exactly: (value, limit) => value === limit,
}
