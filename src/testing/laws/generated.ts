// Generated valid requests: what the document allows has to be accepted, with a response as the document says.
import fc from 'fast-check'
import type { Fault } from '../judge/report.js'
import type { Run } from '../judge/run.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'

/** How many things are deleted: each has to be created first. */
const DELETIONS = 10

/** Sends generated requests of one operation, shrinks what fails, and goes on until nothing new is found. */
export async function sendGenerated(
  run: Run,
  operation: DescribedOperation,
  runs: number,
): Promise<void> {
  const { cases, resources, drawn, findings, seed } = run.parts
  const known = await resources.of(operation)
  const arbitrary = cases.valid(operation, known, await drawn())
  const numRuns = operation.method === 'DELETE' ? Math.min(runs, DELETIONS) : runs
  // the same requests again, past the faults that are known, until no new one is found
  for (let round = 0; round < 4; round++) {
    let failed: { fault: Fault; outcome: Outcome } | undefined
    let isShrinking = false
    const property = fc.asyncProperty(arbitrary, async generated => {
      if (isShrinking) await run.reset()
      const { fault, outcome } = await sendOne(run, operation, generated, known.length > 0)
      if (!fault) return
      isShrinking = true
      failed = { fault, outcome }
      throw new Error(fault.message)
    })
    // without reset a smaller request would meet what the larger one has left
    await fc.check(property, { seed, numRuns, endOnFailure: run.parts.reset === undefined })
    if (!failed) return
    findings.add(operation, failed.fault, failed.outcome, await repeats(run, operation, failed))
  }
}

async function sendOne(
  run: Run,
  operation: DescribedOperation,
  generated: RequestCase,
  isKnown: boolean,
): Promise<{ fault: Fault | undefined; outcome: Outcome }> {
  const created = operation.method === 'DELETE' ? await run.create(operation.path) : undefined
  const sent = await run.prepared(operation, created ? { ...generated, path: created } : generated)
  const outcome = await run.parts.session.send(operation, sent)
  const faults = [
    ...run.parts.checks.faultsOf(operation, outcome),
    ...refusalOf(operation, outcome, isKnown),
  ]
  if (outcome.status < 400) run.remember(operation, sent)
  else run.refused.set(operation.name, outcome)
  return { fault: faults.find(fault => run.parts.findings.isNews(operation, fault)), outcome }
}

/** Valid data that is refused: in `arguments` always a fault, later where nobody has declared that status. */
function refusalOf(
  operation: DescribedOperation,
  { status, stage }: Outcome,
  isKnown: boolean,
): readonly Fault[] {
  if (status < 400 || status >= 500) return []
  if (stage === 'arguments')
    return [
      {
        check: 'valid data refused',
        message: `${status} for data that the document allows; where a rule of refine() is meant, give \`values\` that keep it`,
      },
    ]
  // nothing is known to be there
  if (status === 404 && pathNames(operation.path).length > 0 && !isKnown) return []
  const described = operation.responses[status]
  if (described && !described.isOfArguments) return []
  const advice = `declare it, as with altResponse(${status}, { description: '…' }), or give \`values\` that succeed`
  return [
    {
      check: 'undeclared refusal',
      message: `${status} for data that the document allows, and the operation does not say so: ${advice}`,
    },
  ]
}

async function repeats(
  run: Run,
  operation: DescribedOperation,
  { fault, outcome }: { fault: Fault; outcome: Outcome },
): Promise<boolean> {
  for (let time = 0; time < 2; time++) {
    await run.reset()
    const again = await run.parts.session.sendAs(operation, outcome.request)
    const known = [
      ...run.parts.checks.faultsOf(operation, again),
      ...refusalOf(operation, again, true),
    ]
    if (!known.some(({ check }) => check === fault.check)) return false
  }
  return true
}
