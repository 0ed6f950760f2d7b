import { contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'
import { createTasks, plan } from '../../prove/planted/tasks.js'

/** Operations that belong together: a fault in one group does not need the others. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  projects: /^\S+ \/projects\/(\{projectId\}(\/archive)?)?$/,
  tasks: /^GET \/projects\/$|\/tasks/,
  file: /^GET \/projects\/$|\/file$/,
  more: /^\S+ \/(walk|latest|settings)/,
}

/** One fault for each law; prove/e19-planted-faults.ts plants all of them. */
const CHOSEN: readonly (readonly [fault: string, group: string])[] = [
  ['a field is stored in small letters', 'tasks'],
  ['a default is not applied', 'tasks'],
  ['an action shows another state than GET', 'projects'],
  ['a PATCH resets another field', 'tasks'],
  ['a PUT keeps a field that was left out', 'projects'],
  ['a PUT adds to what is there', 'projects'],
  ['a filter is ignored', 'tasks'],
  ['a minimum is exclusive', 'tasks'],
  ['an end is ignored', 'tasks'],
  ['others can read', 'projects'],
  ['others can act', 'projects'],
  ['a parent is not looked at', 'tasks'],
  ['a creation shows in two lists', 'tasks'],
  ['a deletion removes two', 'projects'],
  ['a list shows another title', 'tasks'],
  ['a Location leads to another thing', 'projects'],
  ['a tag forgets a field', 'projects'],
  ['an upload loses bytes', 'file'],
  ['a redirect goes round', 'more'],
  ['a PUT creates twice', 'more'],
  ['a creating PUT is broken', 'more'],
  ['pages have no end', 'more'],
  ['two at once are both created', 'projects'],
]

function judge(fault: string, group: string) {
  const { app, api, options } = createTasks(fault)
  const { paths } = api.spec.toJSON() as { paths: Record<string, object> }
  const names = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter(key => key !== 'parameters')
      .map(method => `${method.toUpperCase()} ${path}`),
  )
  const skip = names.filter(name => !GROUPS[group]?.test(name))
  return contract(app, api, { ...options, runs: 10, skip })
}

describe('the laws of meaning', () => {
  it('hold for a sound application, of which every documented response is seen', {
    timeout: 120_000,
  }, async () => {
    const { app, api, options } = createTasks()
    const report = await contract(app, api, { ...options, runs: 15, complete: true })
    expect(report.failures).toEqual([])
  })

  it.each(CHOSEN)('find that %s', async (fault, group) => {
    const { failures } = await judge(fault, group)
    expect(failures.map(({ check }) => check)).toContain(plan[fault])
  })
})
