/** A function that is created on its first call. */
export function onFirstUse<A, B>(make: () => (value: A) => B): (value: A) => B {
  let run = (value: A): B => {
    run = make()
    return run(value)
  }
  return value => run(value)
}
