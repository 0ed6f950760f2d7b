// The public names.
export type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
export { Api } from './api.js'
export { Application } from './application.js'
export type { Attributes } from './attributes.js'
export {
  type AnyBlueprint,
  Blueprint,
  type BlueprintOptions,
  type FunctionOptions,
  type RegistrationOptions,
  type RouteOptions,
  type ViewOptions,
} from './blueprint.js'
export { type Annotations, describe } from './codec/annotations.js'
export {
  type BoundC,
  exclusiveMaximum,
  exclusiveMinimum,
  maxItems,
  maximum,
  maxLength,
  minItems,
  minimum,
  minLength,
  multipleOf,
  pattern,
  uniqueItems,
} from './codec/bounds.js'
export { type DateCodec, isoDate, isoDateTime } from './codec/dates.js'
export type { Unknown } from './codec/decode.js'
export { optional, readOnly, wireName, withDefault, writeOnly } from './codec/field-marks.js'
export { list, nullable } from './codec/list.js'
export { bool, decimal, email, float, int, uuid } from './codec/scalars.js'
export { partial, struct } from './codec/struct.js'
export {
  type FieldC,
  type FieldFacts,
  field,
  type InputOf,
  type OptionalC,
  type OutputOf,
  type PartialFields,
  type ReadOnlyC,
  type StructC,
  type WireNameC,
  type WithDefaultC,
  type WriteOnlyC,
} from './codec/types.js'
export { maxSize, mediaTypes, Upload } from './codec/upload.js'
export {
  type Context,
  type Exchange,
  type Feature,
  type Outcome,
  type Part,
  type Route,
  STAGES,
  type Stage,
  type Step,
  type Typing,
  typing,
} from './feature.js'
export {
  type Argument,
  type ArgumentOptions,
  argument,
  cookies,
  files,
  form,
  headers,
  json,
  type LocatedOptions,
  path,
  query,
} from './features/arguments.js'
export { type Documentation, doc } from './features/doc.js'
export { CheckEtagNotCalledError, etag } from './features/etag/etag.js'
export type { EtagLoader, EtagOptions } from './features/etag/loader.js'
export { checkEtag, setEtag } from './features/etag/manual.js'
export { type PaginationOptions, paginate } from './features/pagination.js'
export { altResponse, type ResponseOptions, response, type SuccessOptions } from './features/response.js'
export type { ErrorBody } from './http/error-body.js'
export { abort, type Errors, type Failure, type FailureDetails, HttpException, Refusal } from './http/failure.js'
export type { Fields } from './http/query.js'
export type { BodyLimits } from './http/request-body.js'
export type { Converter, ConverterFactory, ConverterOptions, Converters, ParametersOf, Rule, RuleParameter } from './http/rule.js'
export { MethodView } from './method-view.js'
export type { Fragment } from './openapi/fragment.js'
export type { Schemas } from './openapi/schemas.js'
export { type Operation, operation } from './operation.js'
export { type Collection, Page, type PaginationHeader, PaginationParameters } from './pager.js'
export type { Location, Reader, Source, Wanted } from './reader.js'
export { RegistrationError } from './registration.js'
export { Reply, type ReplyHeaders, reply, type StatusCode } from './reply.js'
export type { Settings } from './settings.js'
export type { Method, Result, Sliceable } from './signature.js'
export { type Document, type ManualComponents, type Plugin, Spec, type SpecOptions } from './spec.js'
export type { TagSource } from './tag-of.js'
export { UndocumentedAnswerError } from './truth.js'
