import { Connection, type RawAnswer } from './connection.js'

/** One of many requests of a load. */
export interface Shot {
  readonly name: string
  readonly bytes: Buffer
  /** The answer has a body, whatever its length says: not that to a HEAD. Default true. */
  readonly hasBody?: boolean
  /** Says what is wrong with an answer; nothing where it is right. */
  readonly faultOf: (answer: RawAnswer) => string | undefined
}

/** What came of a load. */
export interface Outcome {
  answered: number
  /** What was wrong, and how often. */
  readonly wrong: Map<string, number>
}

/**
 * Sends shots over keep-alive connections, on each the next when the last is answered, until there
 * is none.
 */
export async function sendLoad(
  port: number,
  connections: number,
  next: () => Shot | undefined,
): Promise<Outcome> {
  const outcome: Outcome = { answered: 0, wrong: new Map() }
  const note = (fault: string) => outcome.wrong.set(fault, (outcome.wrong.get(fault) ?? 0) + 1)
  const worker = async () => {
    let connection = await Connection.open(port)
    for (let shot = next(); shot; shot = next()) {
      connection = await connection.again()
      const answer = await connection
        .send(shot.bytes, shot.hasBody ?? true)
        .catch((error: Error) => error)
      const fault = answer instanceof Error ? answer.message : shot.faultOf(answer)
      if (fault !== undefined) note(`${shot.name}: ${fault}`)
      outcome.answered += 1
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return outcome
}

/** A shot whose answer has this status, and always the same body. */
export function steadyShot(name: string, status: number, bytes: Buffer, hasBody = true): Shot {
  let body: Buffer | undefined
  return {
    name,
    bytes,
    hasBody,
    faultOf(answer) {
      if (answer.status !== status) return `${answer.status} instead of ${status}`
      body ??= Buffer.from(answer.body)
      return answer.body.equals(body) ? undefined : 'another body than before'
    },
  }
}
