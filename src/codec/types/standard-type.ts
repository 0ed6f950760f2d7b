// The interfaces of https://standardschema.dev, version 1, as far as needed: a program's own types
// fit them, so that no package has to be installed for them.
import type * as t from 'io-ts'
import type { onWire } from './types.js'

/** A schema of any library that speaks Standard Schema: zod, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    /** The library. */
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** One that has a JSON Schema as well (Standard JSON Schema). */
export interface DescribedSchema<Input = unknown, Output = Input>
  extends StandardSchema<Input, Output> {
  readonly '~standard': StandardSchema<Input, Output>['~standard'] & {
    readonly jsonSchema: {
      readonly input: JsonSchemaMaker
      readonly output: JsonSchemaMaker
    }
  }
}

/** Returns a JSON Schema of a version, `draft-2020-12`; throws if there is none. */
export type JsonSchemaMaker = (options: { readonly target: string }) => Record<string, unknown>

/** The value of a Standard Schema, or what is wrong with what was given. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One error and its place. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The input type of a schema. */
export type InferInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input']

/** The output type of a schema. */
export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

/** `std(schema)`: the program has its output; a client sends its input and receives its output. */
export interface StandardC<Input, Output> extends t.Type<Output, Output, unknown> {
  readonly [onWire]: { readonly input: Input; readonly output: Output }
}

/** A schema of another library that is not wrapped. */
export interface BareSchema {
  readonly '~standard': object
}
