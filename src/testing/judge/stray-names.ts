// What an application names in the options of `contract` and its document does not have: a name that is misspelt, or was changed
// since, would leave out, test or draw nothing without a word.
import { suggestion } from '../../names.js'
import type { ApiDocument, DescribedOperation } from '../requests/document.js'
import { isSkipped, type Skip } from './report.js'

/** The options of `contract` that name something in the document. */
interface Naming {
  readonly skip?: readonly Skip[]
  readonly unreachable?: object
  readonly as?: object
  readonly values?: object
}

/** One text for each name in `skip`, `unreachable`, `as` and `values` that names nothing. */
export function strayNames(
  document: ApiDocument,
  { skip = [], unreachable = {}, as = {}, values = {} }: Naming,
): readonly string[] {
  const { operations, schemes } = document
  const names = operations.map(({ name }) => name)
  const skipped = skip.filter(one => !operations.some(operation => isNamed(one, operation)))
  const pairs = operations.flatMap(({ name, responses }) =>
    Object.keys(responses).map(status => `${name} ${status}`),
  )
  const drawn = operations.flatMap(operation => drawnNames(document, operation))
  return [
    ...skipped
      .map(one => (typeof one === 'string' ? one : one.operation))
      .map(name => stray('skip', name, 'no operation', names)),
    ...foreign(unreachable, pairs).map(name => stray('unreachable', name, 'no response', [])),
    ...foreign(as, Object.keys(schemes)).map(name =>
      stray('as', name, 'no security scheme', Object.keys(schemes)),
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
  return `contract: ${option} names "${name}", which is ${what} in the document${suggestion(name, known)}`
}

/** What `values` may name of one operation: `ownerId` and `POST /pets/ json.ownerId`. */
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
  ]
}
