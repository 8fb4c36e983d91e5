// One allowed host with many huge images, together with images of other sources (I7): a real origin, real encoders, and
// the limits of the service. The test compares ratios only, because the time of an image depends on the machine.

import { createGuardedLookup } from '@portico/shared/kit/addresses/address-guard.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ImagesUnderTest, openPool, startImages } from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { decodedWidth, halves, soft } from './testing/source-images.ts'

const HUGE = 24
const FEW = 6
const pool = openPool(1)
/** Names under `.test` resolve to this machine. */
const lookup = createGuardedLookup(true, async () => [{ address: '127.0.0.1', family: 4 }])

let origin: Origin
let images: ImagesUnderTest
beforeAll(async () => {
  const [huge, small] = [await soft(3600, 2400), await halves(300, 200)]
  origin = await startOrigin(new Proxy({}, { get: (_, path) => (String(path).startsWith('/huge') ? huge : small) }))
  await pool.warm()
})
beforeEach(async () => {
  images = await startImages({
    siteUrl: origin.url,
    pool,
    settings: { remotePatterns: [{ hostname: 'huge.test' }, { hostname: 'other.test' }] },
    network: { lookup },
    queue: { lengths: { viewer: 32, refresh: 16, 'warm-up': 8 }, longestWaitMs: 4000 },
    mostWork: 64,
  })
})
afterEach(() => images.close())
afterAll(async () => {
  await Promise.all([pool.close(), origin.close()])
})

const at = (host: string, path: string) => `http://${host}:${origin.url.port}${path}`

/** Requests this number of huge images at the same time; resolves to the number of encoded images, and their rate. */
async function burst(count: number, name: string) {
  const started = performance.now()
  let lastMadeMs = 0
  const made: Buffer[] = []
  const request = async (_: unknown, index: number) => {
    const url = at('huge.test', `/huge?of=${name}-${index}`)
    const response = await images.get(url, { w: 2048, accept: 'image/avif' })
    const body = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200) return expect([503, 504]).toContain(response.status)
    made.push(body)
    lastMadeMs = performance.now() - started
  }
  await Promise.all(Array.from({ length: count }, request))
  // Decoded afterwards, because decoding would slow the encoders down.
  for (const body of made) expect(await decodedWidth(body)).toBe(2048)
  return { made: made.length, perSecond: (made.length * 1000) / lastMadeMs }
}

test('I7 24 simultaneous huge images of one host have at least the throughput of 6', async () => {
  await burst(1, 'first')
  const before = await burst(FEW, 'before')
  const many = await burst(HUGE, 'many')
  const behind = await burst(FEW, 'behind')
  console.log(
    `of ${FEW} huge images ${before.made} and ${behind.made} were made, ${before.perSecond.toFixed(2)} and ` +
      `${behind.perSecond.toFixed(2)}/s; of ${HUGE} ${many.made}, ${many.perSecond.toFixed(2)}/s`,
  )
  expect(many.made).toBeGreaterThan(0)
  // Equal except for other load on the machine.
  expect(many.perSecond).toBeGreaterThan(0.75 * Math.min(before.perSecond, behind.perSecond))
}, 120_000)

test('I7 images of the site and of other hosts are made during 24 huge ones of one host', async () => {
  const others = { requested: 0, made: 0 }
  let isOver = false
  const beside = async (url: (index: number) => string) => {
    for (let index = 0; !isOver; index++) {
      const { status } = await images.get(url(index))
      others.requested++
      if (status === 200) others.made++
      else expect(status).toBe(503)
      await new Promise((done) => setTimeout(done, 100))
    }
  }
  const besides = [beside((index) => at('other.test', `/small-${index}`)), beside((index) => `/small-${index}`)]
  const many = await burst(HUGE, 'beside')
  isOver = true
  await Promise.all(besides)
  console.log(`${many.made} of ${HUGE} huge images, ${others.made} of ${others.requested} of other sources`)
  expect(many.made).toBeGreaterThan(0)
  // No small image waits for more than one huge image: more small images are made than huge ones.
  expect(others.made).toBeGreaterThanOrEqual(many.made)
  expect(others.made).toBeGreaterThan(0.5 * others.requested)
}, 120_000)
