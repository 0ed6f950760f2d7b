// Loaded into every server before its own code: tells its usage where the system has no /proc, and ends with the bench.
process.on('message', message => {
  if (message === 'stop') process.exit()
  const { user, system } = process.cpuUsage()
  process.send({ cpu: user + system, memory: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit())
