// The public names, in the order of the manual.
export { Api } from './api.js'
export { type AnyBlueprint, Blueprint, type BlueprintOptions, type FunctionOptions, type RegistrationOptions, type RouteOptions, type ViewOptions } from './blueprint.js'
export { MethodView } from './method-view.js'
export { operation, type Operation } from './operation.js'
export type { Settings } from './settings.js'
export { Spec, type Document, type Plugin, type SpecOptions } from './spec.js'
export { RegistrationError } from './registration.js'
export { UndocumentedAnswerError } from './truth.js'

export { argument, cookies, files, form, headers, json, path, query, type Argument, type ArgumentOptions, type LocatedOptions } from './features/arguments.js'
export { altResponse, response, type ResponseOptions, type SuccessOptions } from './features/response.js'
export { paginate, type PaginationOptions } from './features/pagination.js'
export { Page, PaginationParameters, type Collection, type PaginationHeader } from './pager.js'
export { CheckEtagNotCalledError, checkEtag, etag, setEtag, type EtagLoader, type EtagOptions } from './features/etag.js'
export type { TagSource } from './tag-of.js'
export { doc, type Documentation } from './features/doc.js'
export { reply, Reply, type ReplyHeaders, type StatusCode } from './reply.js'
export { abort, HttpException, type Errors, type Failure, type FailureDetails } from './http/failure.js'
export type { ErrorBody } from './http/error-body.js'

export { STAGES, typing, type Context, type Exchange, type Feature, type Part, type Route, type Stage, type Step, type Typing } from './feature.js'
export type { Method, Result, Sliceable } from './signature.js'
export type { Location, Reader } from './reader.js'
export type { BodyLimits } from './http/request-body.js'
export type { Converter, ConverterFactory, ConverterOptions, Converters, ParametersOf } from './http/rule.js'

export { bool, decimal, email, float, int, uuid } from './codec/scalars.js'
export { isoDate, isoDateTime, type DateCodec } from './codec/dates.js'
export { list, nullable } from './codec/list.js'
export { mediaTypes, maxSize, Upload } from './codec/upload.js'
export {
  type BoundC,
  exclusiveMaximum,
  exclusiveMinimum,
  maximum,
  maxItems,
  maxLength,
  minimum,
  minItems,
  minLength,
  multipleOf,
  pattern,
  uniqueItems,
} from './codec/bounds.js'
export { partial, struct } from './codec/struct.js'
export { optional, readOnly, wireName, withDefault, writeOnly } from './codec/field-marks.js'
export { describe, type Annotations } from './codec/annotations.js'
export { field, type FieldC, type FieldFacts, type InputOf, type OptionalC, type OutputOf, type PartialFields, type ReadOnlyC, type StructC, type WireNameC, type WithDefaultC, type WriteOnlyC } from './codec/types.js'
export type { Unknown } from './codec/decode.js'
