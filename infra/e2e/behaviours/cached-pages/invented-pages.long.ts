// Pages that clients invent, on real processes: what others request stays in the page cache.

import { createRandom } from '@portico/shared/kit/testing/random.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { everyRoute } from '../../sites/written/every-route.ts'
import { exchange } from './seen-response.ts'
import { type Stacks, startStacks } from './stacks.ts'

const KNOWN = 1000
const INVENTED = 100_000
/** Between two requests for known pages. */
const INVENTED_PER_KNOWN = 10
const CLIENTS = 16

let stacks: Stacks
beforeAll(async () => {
  // Little more than the known pages take.
  stacks = await startStacks(everyRoute(''), { cacheMb: 20 })
})
afterAll(() => stacks?.close())

it('C7 100 000 invented pages take at most 2 points of the hits of 1 000 known pages', async () => {
  const { baseUrl } = stacks.cached
  const random = createRandom(1)
  const request = async (slug: string) => {
    const seen = await exchange(baseUrl, { target: `/posts/${slug}` })
    expect(seen?.status).toBe(200)
    return seen?.cache === 'HIT'
  }
  /** The share of hits among so many requests for known pages. */
  const hitRate = async (requests: number, between: () => Promise<unknown>) => {
    let [left, hits] = [requests, 0]
    const client = async () => {
      while (left-- > 0) {
        if (await request(`known-${random.below(KNOWN)}`)) hits++
        await between()
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    return hits / requests
  }
  await hitRate(10 * KNOWN, async () => {})
  const alone = await hitRate(INVENTED / INVENTED_PER_KNOWN, async () => {})
  let invented = 0
  const among = await hitRate(INVENTED / INVENTED_PER_KNOWN, async () => {
    for (let index = 0; index < INVENTED_PER_KNOWN; index++) await request(`invented-${invented++}`)
  })
  console.log({ alone, among })
  expect(invented).toBe(INVENTED)
  expect(alone).toBeGreaterThan(0.98)
  expect(among).toBeGreaterThan(alone - 0.02)
})
