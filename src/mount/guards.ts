// Faults of declarations that would let callers in whom their author wanted to keep out.
import { MethodView, type ViewClass } from '../declare/operation.js'
import type { Feature } from '../feature-api/feature.js'
import { shown } from '../names.js'

/** Reports descriptors with two guards, of which only the last would count. */
export function guardFaults(place: string, features: readonly Feature[]): readonly string[] {
  const guards = features.flatMap(({ kind, secured }) =>
    secured === undefined ? [] : (kind ?? []),
  )
  return new Set(guards).size < guards.length
    ? [
        `${place}: a descriptor must have one secure() or open(), not several: combine schemes with anyOf(…) or allOf(…)`,
      ]
    : []
}

/** Reports faults of the `shared` of a class of views and of those that it extends. */
export function sharedFaults(view: ViewClass): readonly string[] {
  const shared = classesOf(view).filter(type => Object.hasOwn(type, 'shared'))
  const faults = shared.flatMap(type => {
    const features: unknown = Object(type.shared).features
    return Array.isArray(features)
      ? guardFaults(type.name, features)
      : [
          `${type.name}: static shared must be the result of operation(…), not ${shown(type.shared)}`,
        ]
  })
  if (faults.length > 0) return faults
  const [own, ...inherited] = shared
  const decides = (type: ViewClass | undefined) =>
    type?.shared?.features.some(({ secured }) => secured !== undefined)
  // the nearest guard is in force: an open() in between has taken that of a base away on purpose
  const base = inherited.find(decides)
  return base?.shared?.features.some(({ secured }) => secured) && !decides(own)
    ? [
        `${own?.name}: static shared replaces that of ${base.name}, which has secure(): repeat it, or add open()`,
      ]
    : []
}

/** A class and those that it extends, up to MethodView. */
export function classesOf(view: ViewClass): readonly ViewClass[] {
  const classes: ViewClass[] = []
  for (
    let type = view;
    typeof type === 'function' && type !== MethodView && type !== Function.prototype;
    type = Object.getPrototypeOf(type)
  )
    classes.push(type)
  return classes
}
