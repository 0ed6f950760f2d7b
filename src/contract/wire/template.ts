// Rules as a document writes them, for the compiler: `/pets/:petId<int>` is `/pets/{petId}`, and `petId` is a number.

/** The path template of a rule. */
export type Template<Rule extends string> = Rule extends `${infer Segment}/${infer Rest}`
  ? `${Written<Segment>}/${Template<Rest>}`
  : Written<Rule>

type Written<Segment extends string> = Segment extends `:${infer Name}<${string}>`
  ? `{${Name}}`
  : Segment extends `:${infer Name}`
    ? `{${Name}}`
    : Segment

/**
 * The path parameters of a rule, as a client gives them. To the compiler, the value of a custom converter is text. The parameter `_Path`
 * exists for messages, which print this type.
 */
export type PathParameters<_Path, Rule extends string> = {
  [Parameter in ParameterIn<Rule> as Parameter['name']]: Parameter['value']
}

type ParameterIn<Text extends string> = Text extends `${infer Segment}/${infer Rest}`
  ? ParameterOf<Segment> | ParameterIn<Rest>
  : ParameterOf<Text>

type ParameterOf<Segment extends string> = Segment extends `:${infer Name}<${infer Type}>`
  ? { name: Name; value: ValueOf<Trim<Type>> }
  : Segment extends `:${infer Name}`
    ? { name: Name; value: string }
    : never

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
