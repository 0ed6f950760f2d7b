// Registers 1,000 operations and makes their document, for `bench/start.mjs`; writes what each
// took, as CPU in ms.
const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const { blueprintOf, library } = await import('./pets.mjs')
const { Api, Application } = library
const imported = used()

const api = new Api(new Application(), { OPENAPI_VERSION: '3.1.0' })
for (let index = 0; index < 250; index++)
  api.registerBlueprint(blueprintOf(`resource${index}`, ['cat', 'dog'], undefined))
const registered = used()
const { length } = api.spec.toText()
const documented = used()
console.log(
  JSON.stringify({
    start: registered,
    registration: registered - imported,
    document: documented - registered,
    length,
  }),
)
