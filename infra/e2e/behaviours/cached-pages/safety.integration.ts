// A part of the safety matrix for every run of the suite; safety.long.ts has all of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPackage } from '../../harness/framework.ts'
import { postForm } from '../../harness/http.ts'
import { everyRoute } from '../../sites/written/every-route.ts'
import { environmentOf } from './mutants.ts'
import { differenceOf } from './response-faults.ts'
import { checkSafety } from './safety.ts'
import { exchange } from './seen-response.ts'
import { type Stacks, startStacks } from './stacks.ts'

let stacks: Stacks
beforeAll(async () => {
  stacks = await startStacks(everyRoute(`basePath: '/base', trailingSlash: true,`))
}, 120_000)
afterAll(() => stacks?.close())

describe('cached pages', () => {
  it('C1 C2 are, after crafted requests for cold pages, what a stack without a page cache sends', async () => {
    const { faults, entries } = await checkSafety({ ...stacks, seed: 1, requests: 4 })
    expect(faults).toEqual([])
    expect(entries).toBeGreaterThan(100)
  })

  it('C1 A5 show no client the form state of another one', async () => {
    const { cached, plain } = stacks
    const target = '/base/form/'
    for (const word of ['first', 'second']) {
      await cached.forgetAll()
      const posted = await postForm({ baseUrl: cached.baseUrl, path: target, fields: { word } })
      expect([posted.status, posted.text]).toEqual([200, expect.stringContaining(`saved ${word}`)])
      const [one, other] = await Promise.all([cached, plain].map(({ baseUrl }) => exchange(baseUrl, { target })))
      expect(one?.cache).toBeDefined()
      expect(differenceOf(one, other)).toBeUndefined()
    }
  })

  // The mutant changes a source of the gateway.
  it.skipIf(isPackage)('C2 with the path as their key, they are not', async () => {
    const cached = await stacks.cached.addGateway({ GATEWAY_CACHE_MB: '16', ...environmentOf('path-as-key') })
    const options = { cached, plain: stacks.plain, seed: 1, mostFaults: 1, paths: ['/pick', '/posts/hidden'] }
    const { faults } = await checkSafety({ ...options, requests: 200 })
    expect(faults).not.toEqual([])
  })
})
