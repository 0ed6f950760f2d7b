// Schemas of other libraries as codecs, and codecs as their schemas (koa-smorest/standard). Nothing
// else imports it, and it imports none of these libraries.
export type {
  BareSchema,
  DescribedSchema,
  InferInput,
  InferOutput,
  JsonSchemaMaker,
  StandardC,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from '../codec/types/standard-type.js'
export { standard } from './standard.js'
export { std } from './std.js'
