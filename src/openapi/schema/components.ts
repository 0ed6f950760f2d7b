import type { ComponentsObject, ReferenceObject } from 'openapi3-ts/oas31'
import { isEqual } from './json.js'

interface Component {
  /** The values it was made from: codecs, or the value itself. */
  readonly sources: Set<unknown>
  readonly where: string
  /** The same name met while the first was not finished. */
  readonly pending: { readonly value: unknown; readonly where: string }[]
  /** Undefined until it is finished, which recursion sees. */
  value: unknown
  /** The name without the suffix of a variant. */
  readonly base: string
  /** Made for a reference, not by hand: it is left out if nothing refers to it in the end. */
  isAutomatic: boolean
}

/**
 * A name among the components: `variant` tells the schemas of one codec apart, `''` is the one that
 * has the bare name.
 */
interface ComponentName {
  readonly kind: keyof ComponentsObject & string
  readonly base: string
  readonly variant?: '' | 'input' | 'open' | `made${number}`
  /** Whether it was put there by hand. Default: no, it is made for what refers to it. */
  readonly byHand?: boolean
}

/**
 * The components of a document: each name is written once, and the same name twice must mean the
 * same thing.
 */
export class Components {
  readonly #components = new Map<string, Map<string, Component>>()

  /**
   * A reference to the component, which is built if it is new. Each `source` is built only once,
   * which ends recursion. `conflict` gets the place of an earlier component that differs.
   */
  refer(
    { kind, base, variant = '', byHand = false }: ComponentName,
    source: unknown,
    where: string,
    build: () => unknown,
    conflict: (where: string) => void,
  ): ReferenceObject {
    const components = this.#kind(kind)
    const name = variant === '' ? base : `${base}:${variant}`
    const known = components.get(name)
    // an application's response takes the place of the general one of that name
    if (known && kind === 'responses' && known.isAutomatic === byHand) {
      if (byHand) Object.assign(known, { value: build(), sources: new Set([source]) })
    } else if (!known) {
      const component: Component = {
        sources: new Set([source]),
        where,
        pending: [],
        value: undefined,
        base,
        isAutomatic: true,
      }
      components.set(name, component)
      component.value = build()
      if (component.pending.some(({ value }) => !isEqual(value, component.value))) conflict(where)
    } else if (!known.sources.has(source)) {
      known.sources.add(source)
      const value = build()
      if (known.value === undefined) known.pending.push({ value, where })
      else if (!isEqual(value, known.value)) conflict(known.where)
    }
    if (byHand) (components.get(name) as Component).isAutomatic = false
    return { $ref: reference(kind, name) }
  }

  /** Keeps a component even if nothing refers to it. */
  keep($ref: string): void {
    const [kind = '', name = ''] = $ref.replace('#/components/', '').split('/')
    const component = this.#kind(kind).get(name)
    if (component) component.isAutomatic = false
  }

  /** One that has no variants. */
  value(kind: ComponentName['kind'], name: string): unknown {
    return this.#components.get(kind)?.get(name)?.value
  }

  /** Whether a component is there only for what refers to it: the library made it. */
  isAutomatic(kind: ComponentName['kind'], name: string): boolean {
    return this.#components.get(kind)?.get(name)?.isAutomatic ?? false
  }

  /** The final references to the components that exist only for other references. */
  get automatic(): ReadonlySet<string> {
    const all = [...this.#components].flatMap(([kind, components]) => {
      const names = finalNames(components)
      return [...components].flatMap(([name, { isAutomatic }]) =>
        isAutomatic ? [reference(kind, names.get(name) ?? name)] : [],
      )
    })
    return new Set(all)
  }

  /** All of them, under their final names. */
  get all(): ComponentsObject {
    const kinds = [...this.#components].map(([kind, components]) => {
      const names = finalNames(components)
      return [
        kind,
        Object.fromEntries(
          [...components].map(([name, { value }]) => [names.get(name) ?? name, value]),
        ),
      ]
    })
    return Object.fromEntries(kinds)
  }

  /**
   * References whose final spelling differs: a variant gets the bare name if nothing else has it.
   */
  get renames(): ReadonlyMap<string, string> {
    const renames = new Map<string, string>()
    for (const [kind, components] of this.#components) {
      for (const [name, final] of finalNames(components))
        renames.set(reference(kind, name), reference(kind, final))
    }
    return renames
  }

  #kind(kind: string): Map<string, Component> {
    const known = this.#components.get(kind) ?? new Map<string, Component>()
    this.#components.set(kind, known)
    return known
  }
}

function reference(kind: string, name: string): string {
  return `#/components/${kind}/${name}`
}

/**
 * `Pet:input` and `Pet:open` become `Pet` if that is free, else `PetInput`, else `PetInput2`; after
 * them `Pet:made0` becomes `Pet`, else `Pet2`.
 */
function finalNames(components: ReadonlyMap<string, Component>): Map<string, string> {
  const taken = new Set(
    [...components].filter(([name, { base }]) => name === base).map(([name]) => name),
  )
  const names = new Map<string, string>()
  const variants = [...components].filter(([name, { base }]) => name !== base)
  const rank = (name: string) => (/:made\d+$/.test(name) ? 2 : name.endsWith(':open') ? 1 : 0)
  for (const [name, { base }] of variants.sort(([first], [second]) => rank(first) - rank(second))) {
    const next = rank(name) === 2 ? base : `${base}Input`
    let final = base
    for (let count = next === base ? 2 : 1; taken.has(final); count++)
      final = count === 1 ? next : `${next}${count}`
    taken.add(final)
    names.set(name, final)
  }
  return names
}
