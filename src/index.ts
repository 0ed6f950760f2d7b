// The public names.
export type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
export type { StreamItem, StreamOf } from './client/stream-of.js'
export type { Unknown } from './codec/decode/decode.js'
export {
  type BoundC,
  exclusiveMaximum,
  exclusiveMinimum,
  maxItems,
  maximum,
  maxLength,
  maxSize,
  mediaTypes,
  minItems,
  minimum,
  minLength,
  multipleOf,
  pattern,
  Upload,
  uniqueItems,
} from './codec/define/bounds.js'
export { enumeration } from './codec/define/enumeration.js'
export { list, nullable } from './codec/define/list.js'
export { type PartialOptions, partial } from './codec/define/partial.js'
export { type CheckResult, message, type RefinedC, refine } from './codec/define/refine.js'
export {
  type DateCodec,
  duration,
  isoDate,
  isoDateTime,
  localDateTime,
  localTime,
} from './codec/define/scalar/dates.js'
export {
  bool,
  decimal,
  email,
  float,
  type Int64Codec,
  int,
  int32,
  int64,
  uuid,
} from './codec/define/scalar/scalars.js'
export { omit, pick, struct } from './codec/define/struct.js'
export { type Annotations, describe } from './codec/shape/annotations.js'
export {
  optional,
  readOnly,
  remark,
  wireName,
  withDefault,
  writeOnly,
} from './codec/shape/object-shape.js'
export type { BoundListC, DeepPartialFields, RemarkedC } from './codec/types/partial-types.js'
export type {
  Direction,
  FieldC,
  FieldKey,
  FieldValue,
  InputOf,
  MergePatchOf,
  ObjectC,
  ObjectOf,
  OptionalC,
  OutputOf,
  PartialC,
  PartialFields,
  ReadOnlyC,
  Side,
  StructC,
  Wire,
  WireInputOf,
  WireKey,
  WireNameC,
  WireObject,
  WireOutputOf,
  WirePartial,
  WithDefaultC,
  WriteOnlyC,
} from './codec/types/types.js'
export { type FieldFacts, field } from './codec/types/types.js'
export type { AnyName, AnyPrefix, KnownPrefix } from './declare/blueprint.js'
export {
  type AnyBlueprint,
  Blueprint,
  type BlueprintOptions,
  type FunctionOptions,
  type RegistrationOptions,
  type RouteOptions,
  type ViewOptions,
} from './declare/blueprint.js'
export { MethodView, type Operation, operation } from './declare/operation.js'
export type {
  Enveloped,
  EnvelopeOptions,
  LinkWire,
  NameIn,
  PagedWith,
  PageLinks,
} from './feature-api/envelope.js'
export type {
  Context,
  Exchange,
  ResultStream,
  SelectedRepresentation,
  Written,
} from './feature-api/exchange.js'
export { CompleteResponse, type Step, type StepResult } from './feature-api/exchange.js'
export type {
  Feature,
  Part,
  PositionalArgument,
  Representation,
  Route,
} from './feature-api/feature.js'
export { type Typing, typing } from './feature-api/feature.js'
export {
  type Collection,
  Page,
  type PaginationHeader,
  PaginationParameters,
} from './feature-api/pager.js'
export { type ProblemOptions, type ProblemType, problem } from './feature-api/problem.js'
export {
  type RedirectCode,
  Reply,
  type ReplyHeaders,
  redirect,
  reply,
  type StatusCode,
} from './feature-api/reply.js'
export type { Attributes, Location, Reader, Source, Wanted } from './feature-api/request-reader.js'
export type { Nulls, OrderKey, Seekable, SeekRequest } from './feature-api/seekable.js'
export type { Method, Result, Sliceable } from './feature-api/signature.js'
export { STAGES, type Stage } from './feature-api/stages.js'
export type {
  WireBody,
  WireError,
  WireFacts,
  WireFunction,
  WireMain,
  WireProblem,
  WireResponse,
  WireResponses,
} from './feature-api/wire/facts.js'
export type { PathsOf, Routed } from './feature-api/wire/paths.js'
export type { Announced, WebhooksOf } from './feature-api/wire/webhooks.js'
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
export {
  type BodyArgument,
  body,
  bytes,
  type RawArgument,
  type RawBodyOptions,
  text,
} from './features/arguments/body.js'
export type { ArgumentOptions, LocatedOptions } from './features/arguments/declaration.js'
export {
  type MergePatchArgument,
  type MergePatchOptions,
  mergePatch,
} from './features/arguments/merge-patch.js'
export { type CacheOptions, cache } from './features/cache/cache.js'
export {
  type DeprecatedOptions,
  deprecated,
  type Moment,
} from './features/deprecated/deprecated.js'
export { type Documentation, doc } from './features/doc/doc.js'
export type { TagSource } from './features/etag/data-tag.js'
export { CheckEtagNotCalledError, checkEtag, etag, setEtag } from './features/etag/etag.js'
export type { EtagLoader, EtagOptions, EtagWire } from './features/etag/loader.js'
export type { EventCodecs } from './features/events/events.js'
export {
  type EventOf,
  type EventsFeature,
  type EventsOptions,
  event,
  events,
  type UnnamedEventOf,
} from './features/events/events.js'
export type { IdempotentWire } from './features/idempotent/idempotent.js'
export { type IdempotentOptions, idempotent } from './features/idempotent/idempotent.js'
export { type MemoryStoreOptions, memoryStore } from './features/idempotent/memory-store.js'
export type { Outcome, Run, Store } from './features/idempotent/store.js'
export { type KeysetOptions, type KeysetPage, keyset } from './features/keyset/keyset.js'
export { branches, type Condition } from './features/keyset/seek.js'
export {
  type Limiter,
  type LimiterResult,
  type LimitOptions,
  limit,
} from './features/limit/limit.js'
export { jsonLines } from './features/lines/json-lines.js'
export { type LinesMedia, type LinesOptions, lines } from './features/lines/lines.js'
export type {
  NumberedPage,
  NumberOptions,
  OffsetOptions,
  PagesWire,
  PaginationOptions,
} from './features/paginate/page-parameters.js'
export { type InViewFeature, type PagerFeature, paginate } from './features/paginate/paginate.js'
export {
  altResponse,
  type EmptyOptions,
  type RepresentedOptions,
  type ResponseOptions,
  response,
  type SuccessOptions,
} from './features/response/response.js'
export type { AlsoContent, AlsoWire } from './features/response/wire.js'
export { safeEqual } from './features/secure/safe-equal.js'
export type {
  ChallengeProblem,
  Found,
  Nobody,
  Scheme,
  ScopedScheme,
  Verdict,
} from './features/secure/scheme.js'
export {
  type Alternative,
  allOf,
  anyOf,
  type Combination,
  type PrincipalOf,
  type Requirement,
  type SecureWire,
} from './features/secure/scheme.js'
export {
  type ApiKeyOptions,
  apiKey,
  type BasicOptions,
  type BearerOptions,
  basic,
  bearer,
  type OAuth2Options,
  type OpenIdConnectOptions,
  oauth2,
  openIdConnect,
} from './features/secure/schemes.js'
export { open, type SecureOptions, secure } from './features/secure/secure.js'
export {
  type RequestSignature,
  type SignatureFormat,
  type SignedOptions,
  type SignedRequest,
  signed,
} from './features/secure/signed.js'
export {
  callback,
  type SendOptions,
  type Webhook,
  type WebhookOptions,
  webhook,
} from './features/webhook/webhook.js'
export { rawBody } from './http/body/raw-body.js'
export type { BodyLimits } from './http/body/request-body.js'
export type {
  ErrorBody,
  ErrorForm,
  ProblemDetails,
  ProblemError,
} from './http/errors/error-forms.js'
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
} from './http/routing/converter.js'
export type { MixedSegment, RuleParameter } from './http/routing/mixed-segment.js'
export type { ParametersOf, Rule } from './http/routing/rule.js'
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
export type { Period } from './options.js'
export { Application } from './respond/application.js'
export {
  UndocumentedResponseError,
  /** @deprecated The name of `UndocumentedResponseError` in 0.2; it goes in 1.0. */
  UndocumentedResponseError as UndocumentedAnswerError,
} from './respond/documented-response.js'
export {
  Download,
  type DownloadOptions,
  type DownloadSource,
  download,
} from './respond/download.js'
export type { Items } from './respond/items.js'
export type { OperationNames, OperationTrace } from './respond/operation-trace.js'
export type { Settings } from './settings.js'
