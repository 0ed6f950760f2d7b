// Rules as a document writes them, for the compiler: `/pets/:petId<int>` is `/pets/{petId}`, and
// `petId` is a number.
import type { Choice, ParameterIn, Trim } from '../../http/routing/rule.js'

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
  [Parameter in ParameterIn<Rule> as Parameter['name']]: ValueOf<Trim<Parameter['type']>>
}

type ValueOf<Type extends string> = Type extends `any(${infer Choices})`
  ? Choice<Choices>
  : Type extends Numeric | `${Numeric}(${string}` | `${Numeric} (${string}`
    ? number
    : string

type Numeric = 'int' | 'float'
