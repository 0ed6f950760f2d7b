/** CPU time of this process so far, in milliseconds: what else the machine does is left out. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
