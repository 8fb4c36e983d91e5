// A part of the safety matrix for every run of the suite; safety.long.ts has all of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyRoute } from '../../sites/written/every-route.ts'
import { environmentOf } from './mutants.ts'
import { checkSafety } from './safety.ts'
import { type Stacks, startStacks } from './stacks.ts'

let stacks: Stacks
beforeAll(async () => {
  stacks = await startStacks(everyRoute(`basePath: '/base', trailingSlash: true,`))
}, 120_000)
afterAll(() => stacks?.close())

describe('cached pages', () => {
  it('C1 C2 are, after crafted requests for cold pages, what a stack without a page cache sends', async () => {
    const { faults, entries } = await checkSafety({ ...stacks, seed: 1, requests: 12 })
    expect(faults).toEqual([])
    expect(entries).toBeGreaterThan(300)
  })

  it('C2 with the path as their key, they are not', async () => {
    const cached = await stacks.cached.addGateway({ GATEWAY_CACHE_MB: '16', ...environmentOf('path-as-key') })
    const options = { cached, plain: stacks.plain, seed: 1, mostFaults: 1, paths: ['/pick', '/posts/hidden'] }
    const { faults } = await checkSafety({ ...options, requests: 200 })
    expect(faults).not.toEqual([])
  })
})
