// What the compiler would have found: programs without types are told at the call, not at the first request. Called by Blueprint and Api.

/** A rule is a text; what is in it is read when the Blueprint is registered. */
export function checkRule(verb: string, rule: unknown): void {
  if (typeof rule !== 'string') throw new TypeError(`${verb}() takes a rule such as "/pets" first, not ${nameOf(rule)}`)
}

/** A function view: what `operation()` returned, then a function. */
export function checkFunctionView(verb: string, rule: string, view: { readonly operation: unknown; readonly call: unknown }): void {
  const { operation, call } = view
  if (!Array.isArray((operation as { features?: unknown } | undefined)?.features)) {
    const instead = verb === 'route' ? 'a class of methods or what operation(…) returns' : 'what operation(…) returns'
    throw new TypeError(`${verb}("${rule}", …) takes ${instead} second, not ${nameOf(operation)}`)
  }
  if (typeof call !== 'function') throw new TypeError(`${verb}("${rule}", …) takes a function behind operation(…), not ${nameOf(call)}`)
}

/** A Blueprint, of whichever copy of this package. */
export function checkBlueprint(blueprint: unknown): void {
  if (Array.isArray((blueprint as { declarations?: unknown } | undefined)?.declarations)) return
  throw new TypeError(`registerBlueprint() takes a Blueprint, such as new Blueprint('pets'), not ${nameOf(blueprint)}`)
}

function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : value.name
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const name = Object.getPrototypeOf(value)?.constructor?.name
  return name === undefined || name === 'Object' ? 'an object' : `an instance of ${name}`
}
