// The public names.
export type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
export type { Unknown } from './codec/decode/decode.js'
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
} from './codec/define/bounds.js'
export { enumeration } from './codec/define/enumeration.js'
export { list, nullable } from './codec/define/list.js'
export { message } from './codec/define/message.js'
export { type PartialOptions, partial } from './codec/define/partial.js'
export { omit, pick } from './codec/define/pick.js'
export { type CheckResult, type RefinedC, refine } from './codec/define/refine.js'
export { type DateCodec, isoDate, isoDateTime } from './codec/define/scalar/dates.js'
export { duration, localDateTime, localTime } from './codec/define/scalar/local-times.js'
export { bool, decimal, email, float, int, uuid } from './codec/define/scalar/scalars.js'
export { struct } from './codec/define/struct.js'
export { maxSize, mediaTypes, Upload } from './codec/define/upload.js'
export { type Annotations, describe } from './codec/shape/annotations.js'
export { optional, readOnly, wireName, withDefault, writeOnly } from './codec/shape/field-marks.js'
export { type FieldFacts, field } from './codec/types/field-facts.js'
export type { BoundListC, DeepPartialFields, RemarkedC } from './codec/types/partial-types.js'
export type {
  FieldC,
  FieldKey,
  FieldValue,
  InputOf,
  ObjectC,
  ObjectOf,
  OptionalC,
  OutputOf,
  PartialC,
  PartialFields,
  ReadOnlyC,
  Side,
  StructC,
  WireNameC,
  WithDefaultC,
  WriteOnlyC,
} from './codec/types/types.js'
export type {
  Direction,
  Wire,
  WireInputOf,
  WireKey,
  WireObject,
  WireOutputOf,
} from './codec/types/wire-types.js'
export type { Attributes } from './contract/attributes.js'
export type { Context, Exchange } from './contract/exchange.js'
export type { Feature, Part, Route } from './contract/feature.js'
export {
  type Collection,
  Page,
  type PaginationHeader,
  PaginationParameters,
} from './contract/pager.js'
export { type ProblemOptions, type ProblemType, problem } from './contract/problem.js'
export {
  type RedirectCode,
  Reply,
  type ReplyHeaders,
  redirect,
  reply,
  type StatusCode,
} from './contract/reply.js'
export type { Location, Reader, Source, Wanted } from './contract/request-reader.js'
export type { Nulls, OrderKey, Seekable, SeekRequest } from './contract/seekable.js'
export type { Method, Result, Sliceable } from './contract/signature.js'
export { STAGES, type Stage } from './contract/stages.js'
export { CompleteResponse, type Step, type StepResult } from './contract/step.js'
export { type Typing, typing } from './contract/typing.js'
export type {
  WireBody,
  WireError,
  WireFacts,
  WireFunction,
  WireMain,
  WireProblem,
  WireResponse,
  WireResponses,
} from './contract/wire/facts.js'
export type { PathsOf } from './contract/wire/paths.js'
export type { Routed } from './contract/wire/routes.js'
export {
  type AnyBlueprint,
  Blueprint,
  type BlueprintOptions,
  type FunctionOptions,
  type RegistrationOptions,
  type RouteOptions,
  type ViewOptions,
} from './declare/blueprint.js'
export { MethodView } from './declare/method-view.js'
export { type Operation, operation } from './declare/operation.js'
export type { AnyName, AnyPrefix, KnownPrefix } from './declare/routing.js'
export {
  type Argument,
  argument,
  cookies,
  files,
  form,
  headers,
  json,
  path,
  query,
} from './features/arguments/arguments.js'
export type { ArgumentOptions, LocatedOptions } from './features/arguments/declaration.js'
export { type CacheOptions, cache } from './features/cache.js'
export { type DeprecatedOptions, deprecated, type Moment } from './features/deprecated.js'
export { type Documentation, doc } from './features/doc.js'
export type { TagSource } from './features/entity-tag/data-tag.js'
export { CheckEtagNotCalledError, etag } from './features/entity-tag/etag.js'
export type { EtagLoader, EtagOptions } from './features/entity-tag/loader.js'
export { checkEtag, setEtag } from './features/entity-tag/manual.js'
export type { EtagWire } from './features/entity-tag/wire.js'
export {
  type IdempotentOptions,
  idempotent,
  type Period,
} from './features/idempotent/idempotent.js'
export { type MemoryStoreOptions, memoryStore } from './features/idempotent/memory-store.js'
export type { Outcome, Run, Store } from './features/idempotent/store.js'
export type { IdempotentWire } from './features/idempotent/wire.js'
export { type KeysetOptions, keyset } from './features/keyset/keyset.js'
export { branches, type Condition } from './features/keyset/seek.js'
export { type Limiter, type LimiterResult, type LimitOptions, limit } from './features/limit.js'
export type { PaginationOptions } from './features/pagination/page-parameters.js'
export { paginate } from './features/pagination/pagination.js'
export type { PagesWire } from './features/pagination/wire.js'
export {
  altResponse,
  type ResponseOptions,
  response,
  type SuccessOptions,
} from './features/response.js'
export { type ApiKeyOptions, apiKey } from './features/secure/api-key.js'
export { type BasicOptions, basic } from './features/secure/basic.js'
export { type BearerOptions, bearer } from './features/secure/bearer.js'
export {
  type Alternative,
  allOf,
  anyOf,
  type Combination,
  type PrincipalOf,
  type Requirement,
} from './features/secure/combine.js'
export {
  type OAuth2Options,
  type OpenIdConnectOptions,
  oauth2,
  openIdConnect,
} from './features/secure/oauth.js'
export { safeEqual } from './features/secure/safe-equal.js'
export type {
  ChallengeProblem,
  Found,
  Nobody,
  Scheme,
  ScopedScheme,
  Verdict,
} from './features/secure/scheme.js'
export { open, type SecureOptions, secure } from './features/secure/secure.js'
export { rawBody } from './http/body/body.js'
export type { BodyLimits } from './http/body/request-body.js'
export type { ErrorForm } from './http/errors/error-form.js'
export type { ErrorBody } from './http/errors/plain-errors.js'
export type { ProblemDetails, ProblemError } from './http/errors/problem-details.js'
export {
  type AbortDetails,
  abort,
  type DeclaredProblem,
  type Errors,
  type Failure,
  type FailureDetails,
  HttpException,
  ProblemFailure,
  Refusal,
} from './http/failure.js'
export type { Fields } from './http/query.js'
export type {
  Converter,
  ConverterFactory,
  ConverterOptions,
  Converters,
  ParametersOf,
  Rule,
  RuleParameter,
} from './http/routing/rule.js'
export { Api } from './mount/api.js'
export { RegistrationError } from './mount/registration.js'
export type { Fragment } from './openapi/document/fragment.js'
export {
  type Document,
  type ManualComponents,
  type Plugin,
  Spec,
  type SpecOptions,
} from './openapi/openapi-document.js'
export type { Schemas } from './openapi/schema/schemas.js'
export { Application } from './respond/application.js'
export { UndocumentedAnswerError } from './respond/documented-response.js'
export type { OperationNames, OperationTrace } from './respond/operation-channel.js'
export type { Settings } from './settings.js'
