// Finds names in the options of `contract` that the document does not have. A misspelt or outdated
// name would otherwise be ignored silently.
import { suggestion } from '../../names.js'
import type { ApiDocument, DescribedOperation } from '../requests/document.js'
import type { ContractLaw } from './business.js'
import { CHECKS } from './check-names.js'
import { documentedBy, keyOf } from './coverage.js'
import { isSkipped, type Skip } from './report.js'

/** The options of `contract` that name something in the document. */
interface Naming {
  readonly skip?: readonly Skip[]
  readonly unreachable?: object
  readonly as?: object
  readonly values?: object
  readonly normalises?: object
  readonly prepare?: object
  readonly laws?: Readonly<Record<string, ContractLaw>>
}

/**
 * One message for each name in `skip`, `unreachable`, `as` and `values` that the document does not
 * have.
 */
export function strayNames(
  document: ApiDocument,
  { skip = [], unreachable = {}, as = {}, values = {}, ...more }: Naming,
): readonly string[] {
  const { operations, schemes } = document
  const { normalises = {}, prepare = {}, laws = {} } = more
  const checks = [...CHECKS, ...Object.keys(laws).map(name => `law: ${name}`)]
  const skippedChecks = skip.flatMap(one => (typeof one === 'string' ? [] : (one.check ?? [])))
  const lawful = Object.values(laws).flatMap(({ of = [] }) => of)
  const known = operations.flatMap(({ name, operationId }) => [name, operationId ?? name])
  const names = operations.map(({ name }) => name)
  const skipped = skip.filter(one => !operations.some(operation => isNamed(one, operation)))
  const pairs = operations.flatMap(operation => [
    ...Object.keys(operation.responses).map(status => `${operation.name} ${status}`),
    ...documentedBy(document, operation).map(keyOf),
  ])
  const drawn = operations.flatMap(operation => drawnNames(document, operation))
  return [
    ...skipped
      .map(one => (typeof one === 'string' ? one : one.operation))
      .map(name => stray('skip', name, 'not an operation', names)),
    ...skippedChecks
      .filter(name => !checks.includes(name))
      .map(name => stray('skip', name, 'not a check', checks)),
    ...lawful
      .filter(name => !known.includes(name))
      .map(name => stray('laws', name, 'not an operation', names)),
    ...foreign(prepare, known).map(name => stray('prepare', name, 'not an operation', names)),
    ...foreign(normalises, drawn).map(name =>
      stray('normalises', name, 'not a field of a body', drawn),
    ),
    ...foreign(unreachable, pairs).map(name => stray('unreachable', name, 'not a response', [])),
    ...foreign(as, Object.keys(schemes)).map(name =>
      stray('as', name, 'not a security scheme', Object.keys(schemes)),
    ),
    ...foreign(values, drawn).map(name =>
      stray('values', name, 'neither a parameter nor a field of a body', drawn),
    ),
  ]
}

/** Whether the operation is left out, or one check of it. */
function isNamed(skip: Skip, operation: DescribedOperation): boolean {
  return isSkipped([typeof skip === 'string' ? skip : skip.operation], operation)
}

function foreign(given: object, known: readonly string[]): readonly string[] {
  const all = new Set(known)
  return Object.keys(given).filter(name => !all.has(name))
}

function stray(option: string, name: string, what: string, known: readonly string[]): string {
  return `contract: ${option} names "${name}", which is ${what}${what === 'not a check' ? '' : ' in the document'}${suggestion(name, known)}`
}

/** The names that `values` may use for one operation: `ownerId` and `POST /pets/ json.ownerId`. */
function drawnNames(
  document: ApiDocument,
  { name, parameters, bodies }: DescribedOperation,
): readonly string[] {
  const fields = bodies.flatMap(({ schema }) => document.fieldsOf(schema))
  const located = ['json', 'form', 'files'].flatMap(location =>
    fields.map(field => `${name} ${location}.${field}`),
  )
  return [
    ...parameters.flatMap(one => [one.name, `${name} ${one.in}.${one.name}`]),
    ...fields.map(field => field.replace(/^.*\./, '')),
    ...located,
    `${name} body`,
  ]
}
