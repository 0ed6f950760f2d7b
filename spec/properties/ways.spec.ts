// Whatever an application is, and whatever it is asked: what the client receives does not depend on
// how the app is served.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases, PATIENCE, seed } from './seed.js'
import { expectedOf, isComparable, play, WAYS } from './ways/play.js'
import { plans } from './ways/requests.js'

describe(`P11: ways to serve an app (seed ${seed})`, () => {
  it('make no difference to its clients, nor to its error listeners', {
    timeout: PATIENCE,
  }, async () => {
    let [apps, requests] = [0, 0]
    await fc.assert(
      fc.asyncProperty(plans, async plan => {
        const all = await Promise.all(WAYS.map(async way => ({ way, seen: await play(plan, way) })))
        const first = all[0]?.seen
        if (!first) return
        apps += 1
        requests += plan.shots.length
        for (const [index, shot] of plan.shots.entries()) {
          for (const { way, seen = [] } of all) {
            const { name } = way
            const got = seen[index]
            if (got && isComparable(way, got, first[index]))
              expect({ name, shot, ...got }).toEqual({
                name,
                shot,
                ...expectedOf(way, shot, got, first[index]),
              })
          }
          expect({ shot, ...first[index] }).not.toMatchObject({ outcome: 'hangs' })
        }
      }),
      { seed, numRuns: cases(8) },
    )
    console.info(`ways: seed ${seed}, ${apps} apps, ${requests} requests each`)
  })
})
