// The safety matrix: 200 crafted requests for each page, and each of the faults that must be found.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyRoute } from '../../sites/written/every-route.ts'
import { environmentOf, MUTANT_NAMES } from './mutants.ts'
import { checkSafety, checkSharing } from './safety.ts'
import { type Stacks, startStacks } from './stacks.ts'

const seed = Number(process.env.PORTICO_FUZZ_SEED ?? Date.now() % 2 ** 31)

const BELOW = `basePath: '/base', trailingSlash: true,`
/** What a client says of host and scheme is believed. */
const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8', PUBLIC_ORIGINS: 'https://site.example' }

describe.each([
  ['at the root', '', {}],
  ['below a basePath, with a slash at the end', BELOW, {}],
  ['behind a proxy, in too little memory', '', { cacheMb: 1, environment: BEHIND_PROXY }],
] as const)('cached pages %s', (_name, own, options) => {
  let stacks: Stacks
  beforeAll(async () => {
    stacks = await startStacks(everyRoute(own), options)
  })
  afterAll(() => stacks?.close())

  it('C1 C2 are, after 200 crafted requests for each cold page, what a stack without a page cache sends', async () => {
    console.log(`PORTICO_FUZZ_SEED=${seed}`)
    const { faults, entries } = await checkSafety({ ...stacks, seed, requests: 200 })
    expect(faults).toEqual([])
    expect(entries).toBeGreaterThan(5000)
  })

  it('C6 let a CDN keep no response that a plain request for the address would not have', async () => {
    const gateway = await stacks.cached.addGateway({ GATEWAY_CACHE_MB: '16', CDN_TAGS: 'on' })
    const { faults, compared } = await checkSharing(gateway, { seed, requests: 200 })
    expect(faults).toEqual([])
    expect(compared).toBeGreaterThan(1000)
  })

  it.each(MUTANT_NAMES)('C1 C2 with the fault %s, they are not', async (name) => {
    const cached = await stacks.cached.addGateway({ GATEWAY_CACHE_MB: '16', ...environmentOf(name) })
    const { faults } = await checkSafety({ cached, plain: stacks.plain, seed, requests: 200, mostFaults: 1 })
    expect(faults).not.toEqual([])
  })
})
