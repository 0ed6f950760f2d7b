// Where two types of clients differ, member by member, as texts: `/pets/ get responses 200 content
// application/json[] name`. Used by what `compilers.spec.ts` generates.

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Spelled out at every depth, without names. */
type Spelled<T> = T extends readonly (infer Item)[]
  ? Spelled<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Spelled<T[K]> }
    : T

/**
 * The places where two types differ; `never` where they are equal. A `?` stands where one is
 * optional and the other is not.
 */
export type Difference<Ours, Theirs, Place extends string = ''> =
  Equal<Spelled<Ours>, Spelled<Theirs>> extends true
    ? never
    : [Ours, Theirs] extends [readonly (infer Our)[], readonly (infer Their)[]]
      ? Difference<Our, Their, `${Place}[]`>
      : [Ours, Theirs] extends [object, object]
        ? Or<
            {
              [K in keyof Ours | keyof Theirs]-?: AtKey<
                Ours,
                Theirs,
                K,
                `${Place} ${K & (string | number)}`
              >
            }[keyof Ours | keyof Theirs],
            Place
          >
        : Place

/**
 * Where no key differs, but the whole does, it is the whole: names beside an index signature are
 * not among the keys.
 */
type Or<Places, Place> = [Places] extends [never] ? Place : Places

type AtKey<Ours, Theirs, K, Place extends string> = K extends keyof Ours & keyof Theirs
  ? Equal<Spelled<Pick<Ours, K>>, Spelled<Pick<Theirs, K>>> extends true
    ? never
    : Equal<Spelled<Ours[K]>, Spelled<Theirs[K]>> extends true
      ? `${Place}?`
      : Difference<Exclude<Ours[K], undefined>, Exclude<Theirs[K], undefined>, Place>
  : Place

/** What is neither equal nor one of the places where it may differ. */
export type Unexpected<Ours, Theirs, Allowed extends string> = Exclude<
  Difference<Ours, Theirs>,
  Allowed
>

/** The allowed places where nothing differs any more. */
export type Outdated<Ours, Theirs, Allowed extends string> = Allowed extends unknown
  ? [Extract<Difference<Ours, Theirs>, Allowed>] extends [never]
    ? Allowed
    : never
  : never
