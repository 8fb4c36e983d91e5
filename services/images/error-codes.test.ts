// A request for each code of the error catalogue that the images service sends.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { createPurgeRoute } from './cache/purges.ts'
import { createEncoderPool, startEncoder } from './encoders/encoders.ts'
import {
  type ImagesUnderTest,
  openPool,
  silentLog,
  startImages,
  type TestOptions,
} from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { halves } from './testing/source-images.ts'

const pool = openPool()
const script = fileURLToPath(new URL('./testing/bad-encoder.ts', import.meta.url))
const badPool = createEncoderPool({
  slots: 1,
  log: silentLog,
  start: () => startEncoder({ environment: bareEnvironment(), script }),
})
afterAll(() => Promise.all([pool.close(), badPool.close()]))
let origin: Origin
let images: ImagesUnderTest | undefined
const jpeg = await halves(200, 100)

beforeEach(async () => {
  origin = await startOrigin({
    '/a.jpg': jpeg,
    '/away.jpg': { status: 302, headers: { location: 'http://elsewhere.invalid/a.jpg' } },
    '/gone.jpg': { status: 410 },
    '/large.jpg': Buffer.alloc(2000),
    '/text.jpg': 'no image',
    '/broken.jpg': { status: 500 },
    '/late.jpg': { body: jpeg, delayMs: 3000 },
  })
})
afterEach(async () => {
  await images?.close()
  await origin.close()
})

interface Opened {
  settings?: Partial<ImageSettings>
  options?: Partial<TestOptions>
}
type Case = [code: ErrorCode, how: string, request: (images: ImagesUnderTest) => Promise<Response>, opened?: Opened]
const full = { lengths: { viewer: 0, refresh: 0, 'warm-up': 0 } }
const CASES: Case[] = [
  ['image-parameter', 'a width that is not allowed', ({ get }) => get('/a.jpg', { w: 65 })],
  ['image-source-not-allowed', 'a redirect to another host', ({ get }) => get('/away.jpg')],
  ['not-found', 'another path', ({ fetch }) => fetch('/other')],
  ['image-source-missing', 'a source that does not exist', ({ get }) => get('/none.jpg')],
  ['method-not-allowed', 'a POST', ({ fetch }) => fetch('/_portico/image', { method: 'POST' })],
  ['image-source-gone', 'a source that was removed', ({ get }) => get('/gone.jpg')],
  [
    'image-source-too-large',
    'a source above the limit',
    ({ get }) => get('/large.jpg'),
    { settings: { maximumResponseBody: 1000 } },
  ],
  ['image-source-undecodable', 'a source that is no image', ({ get }) => get('/text.jpg')],
  ['image-source-failed', 'a source with a fault', ({ get }) => get('/broken.jpg')],
  ['images-overloaded', 'a full queue', ({ get }) => get('/a.jpg'), { options: { queue: full } }],
  [
    'images-overloaded',
    'an encoder that the system ends',
    ({ get }) => get('/a.jpg'),
    { settings: { qualities: [4] }, options: { pool: badPool } },
  ],
  [
    'image-late',
    'a source that is late',
    ({ get }) => get('/late.jpg'),
    { options: { times: { queuedMs: 150, encodedMs: 150 } } },
  ],
]

test.each(CASES)('E2 I11 sends %s for %s', async (code, _how, request, { settings = {}, options = {} } = {}) => {
  images = await startImages({ siteUrl: origin.url, pool, settings, ...options })
  const response = await request(images)
  expect([response.status, response.headers.get(INTERNAL_HEADERS.code)]).toEqual([ERROR_CATALOGUE[code].status, code])
  expect(await response.text()).toMatch(new RegExp(`^${response.status} .+\\n$`))
})

test.each<[ErrorCode, string, unknown]>([
  ['bad-request', 'a purge of nothing', {}],
  ['purge-failed', 'a store that takes no purge', { source: '/a.jpg' }],
])('E2 I9 sends %s for %s', async (code, _how, body) => {
  images = await startImages({ siteUrl: origin.url, pool })
  const purge = () => Promise.reject(new Error('the store is away'))
  const route = createPurgeRoute({ ...images.purges, purge }, '', silentLog)
  const server = createServer((request, response) => void route.handler(body, request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect([response.status, await response.json()]).toMatchObject([ERROR_CATALOGUE[code].status, { error: { code } }])
  server.close()
})
