// Rules as a document writes them, for the compiler: `/pets/:petId<int>` is `/pets/{petId}`, and
// `petId` is a number.

export type Template<Rule extends string> = Rule extends `${infer Segment}/${infer Rest}`
  ? `${Written<Segment>}/${Template<Rest>}`
  : Written<Rule>

type Written<Segment extends string> = Segment extends `${string}:${string}<${string}>${string}`
  ? Mixed<Segment>
  : Segment extends `:${infer Name}`
    ? `{${Name}}`
    : Segment

type Mixed<Segment extends string> =
  Segment extends `${infer Text}:${infer Name}<${string}>${infer Rest}`
    ? `${Text}${AfterText<Name>}${Mixed<Rest>}`
    : Segment

// a colon that does not begin a parameter is text
type AfterText<Name extends string> = Name extends `${infer Text}:${infer Rest}`
  ? `:${Text}${AfterText<Rest>}`
  : `{${Name}}`

/**
 * The path parameters of a rule, as a client gives them. To the compiler, the value of a custom
 * converter is a string. The parameter `_Path` exists for messages, which print this type.
 */
export type PathParameters<_Path, Rule extends string> = {
  [Parameter in ParameterIn<Rule> as Parameter['name']]: Parameter['value']
}

type ParameterIn<Text extends string> = Text extends `${infer Segment}/${infer Rest}`
  ? ParameterOf<Segment> | ParameterIn<Rest>
  : ParameterOf<Text>

type ParameterOf<Segment extends string> = Segment extends `${string}:${string}<${string}>${string}`
  ? TypedIn<Segment>
  : Segment extends `:${infer Name}`
    ? { name: Name; value: string }
    : never

type TypedIn<Segment extends string> =
  Segment extends `${string}:${infer Name}<${infer Type}>${infer Rest}`
    ? { name: AfterColons<Name>; value: ValueOf<Trim<Type>> } | TypedIn<Rest>
    : never

type AfterColons<Text extends string> = Text extends `${string}:${infer Rest}`
  ? AfterColons<Rest>
  : Text

type ValueOf<Type extends string> = Type extends `any(${infer Choices})`
  ? Choice<Choices>
  : Type extends Numeric | `${Numeric}(${string}` | `${Numeric} (${string}`
    ? number
    : string

type Numeric = 'int' | 'float'
type Choice<List extends string> = List extends `${infer First},${infer Rest}`
  ? Trim<First> | Choice<Rest>
  : Trim<List>
type Trim<Text extends string> = Text extends ` ${infer Rest}`
  ? Trim<Rest>
  : Text extends `${infer Rest} `
    ? Trim<Rest>
    : Text
