/**
 * Removes options that are `undefined`, so that defaults survive when the options are spread over
 * them.
 */
export function given<Options extends object>(
  options: Options,
): { readonly [Name in keyof Options]: Exclude<Options[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as never
}
