/** A workflow command of GitHub, which shows a message beside a changed file. */
export function annotation(
  level: 'error' | 'warning',
  argument: string,
  title: string,
  message: string,
): string {
  const escaped = (value: string) =>
    value.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
  const property = (value: string) => escaped(value).replace(/:/g, '%3A').replace(/,/g, '%2C')
  const file = argument.startsWith('git:') ? '' : `file=${property(argument)},`
  return `::${level} ${file}title=${property(title)}::${escaped(message)}`
}
