// Every combination of what may be wrong with three sets of credentials, over a connection, against
// the rules as the manual tells them.
import {
  allOf,
  anyOf,
  apiKey,
  Blueprint,
  bearer,
  operation,
  type Scheme,
  secure,
} from 'koa-smorest'
import { expect, it } from 'vitest'
import { serveBlueprints } from '../../support/client.js'
import { ask, type Verdict } from './requests.js'

interface Caller {
  readonly name: string
  readonly scopes: readonly string[]
  readonly mayEnter: boolean
}
const callers: Readonly<Record<string, Caller>> = {
  'sesame-ann': { name: 'Ann', scopes: ['write'], mayEnter: true },
  'sesame-bob': { name: 'Bob', scopes: [], mayEnter: true },
  'sesame-eve': { name: 'Eve', scopes: [], mayEnter: false },
}
const token = bearer('token', { principal: text => callers[text] })
const key = apiKey('key', { in: 'header', name: 'X-Key', principal: text => callers[text] })
/** Of a provider that may be away. */
const ticket: Scheme<Caller> = {
  name: 'ticket',
  document: { type: 'apiKey', in: 'header', name: 'X-Ticket' },
  mayBeUnreachable: true,
  authenticate(ctx) {
    const sent = ctx.get('X-Ticket')
    if (sent === '') return { state: 'absent' }
    if (sent === 'away')
      return { state: 'unreachable', retryAfter: 1, cause: new Error('the provider is away') }
    const principal = callers[sent]
    return principal ? { state: 'valid', principal } : { state: 'invalid' }
  },
  challenge: () => 'Ticket realm="theatre"',
}

/** What may be sent for each scheme, by what becomes of it there. */
const TOKENS = {
  absent: [],
  valid: ['Authorization: bearer sesame-ann'],
  wrong: ['Authorization: Bearer sesame-nobody'],
  unscoped: ['Authorization: Bearer sesame-bob'],
  repeated: ['Authorization: Bearer sesame-ann', 'Authorization: Bearer sesame-ann'],
}
const KEYS = {
  absent: [],
  valid: ['X-Key: sesame-ann'],
  wrong: ['X-Key: sesame-nobody'],
  'not allowed': ['X-Key: sesame-eve'],
}
const TICKETS = {
  absent: [],
  valid: ['X-Ticket: sesame-ann'],
  wrong: ['X-Ticket: sesame-nobody'],
  away: ['X-Ticket: away'],
}

interface Sent {
  readonly token: keyof typeof TOKENS
  readonly key: keyof typeof KEYS
  readonly ticket: keyof typeof TICKETS
}
const ALL: readonly Sent[] = names(TOKENS).flatMap(token =>
  names(KEYS).flatMap(key => names(TICKETS).map(ticket => ({ token, key, ticket }))),
)

function names<Name extends string>(object: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(object) as Name[]
}

type Outcome = Pick<Verdict, 'status' | 'challenges'>
const ENTERED: Outcome = { status: 200, challenges: [] }
const REPEATED: Outcome = {
  status: 400,
  challenges: ['Bearer realm="token", error="invalid_request"'],
}
const AWAY: Outcome = { status: 503, challenges: [] }
const UNSCOPED: Outcome = {
  status: 403,
  challenges: ['Bearer realm="token", error="insufficient_scope", scope="write"'],
}
const FORBIDDEN: Outcome = { status: 403, challenges: [] }
/** `isWrong`: a token was sent, and it is not valid. */
const unknown = (isWrong: boolean): Outcome => ({
  status: 401,
  challenges: [
    `Bearer realm="token"${isWrong ? ', error="invalid_token"' : ''}`,
    'ApiKey in="header", name="X-Key"',
    'Ticket realm="theatre"',
  ],
})

/** One that suffices is enough, whatever else was sent; else what is worst decides. */
function anyOutcome({ token, key, ticket }: Sent): Outcome {
  if (token === 'valid' || key === 'valid' || ticket === 'valid') return ENTERED
  if (token === 'repeated') return REPEATED
  if (ticket === 'away') return AWAY
  if (token === 'unscoped') return UNSCOPED
  return key === 'not allowed' ? FORBIDDEN : unknown(token === 'wrong')
}

/**
 * The first that does not suffice decides; those after it are not looked at. Who is allowed is
 * asked once all are known.
 */
function allOutcome({ token, key, ticket }: Sent): Outcome {
  if (token === 'repeated') return REPEATED
  if (token === 'unscoped') return UNSCOPED
  if (token !== 'valid' || key === 'absent' || key === 'wrong') return unknown(token === 'wrong')
  if (ticket === 'away') return AWAY
  if (ticket !== 'valid') return unknown(false)
  return key === 'not allowed' ? FORBIDDEN : ENTERED
}

const mayEnter = (principal: Caller | readonly Caller[]) =>
  [principal].flat().every(caller => caller.mayEnter)
const requirements = [token.scopes('write'), key, ticket] as const

it.each([
  ['any', secure(anyOf(...requirements), { allow: mayEnter }), anyOutcome],
  ['all', secure(allOf(...requirements), { allow: mayEnter }), allOutcome],
] as const)(
  'credentials for %s of three schemes have the outcome that their combination asks for',
  async (_title, secured, outcomeOf) => {
    const { port } = await serveBlueprints(
      new Blueprint('b').get('/', operation(secured), () => 'in'),
    )
    const outcomes = await Promise.all(
      ALL.map(async sent => {
        const lines = [...TOKENS[sent.token], ...KEYS[sent.key], ...TICKETS[sent.ticket]]
        const { status, challenges } = await ask(port, '/', lines)
        return { sent, status, challenges }
      }),
    )
    expect(outcomes).toEqual(ALL.map(sent => ({ sent, ...outcomeOf(sent) })))
  },
)
