import { imageSizesPath } from '@portico/shared/wire/image-sources.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ImagesUnderTest, openPool, startImages } from '../testing/images-under-test.ts'
import { type Origin, startOrigin } from '../testing/origin.ts'
import { halves } from '../testing/source-images.ts'

const pool = openPool()
beforeAll(() => pool.warm())
afterAll(() => pool.close())
const SIZES = imageSizesPath('')
const jpeg = await halves(200, 100)
const listed = (widths: number[], qualities: number[], untilSeconds = 600) => ({
  widths,
  qualities,
  until: Date.now() + untilSeconds * 1000,
})

let origin: Origin
let images: ImagesUnderTest
beforeEach(async () => {
  origin = await startOrigin({ '/a.jpg': jpeg, '/_portico/static/photo-1a2b3c4d.jpg': jpeg })
  images = await startImages({ siteUrl: origin.url, pool })
})
afterEach(async () => {
  await images.close()
  await origin.close()
})
const statusOf = async (search: string) => {
  const response = await images.fetch(`/_portico/image?url=${search}`, { headers: { accept: 'image/webp' } })
  await response.arrayBuffer()
  return response.status
}

test('I1 G3 a width and a quality of another build are allowed, also for an image of that build', async () => {
  origin.responses[SIZES] = JSON.stringify([listed([100], [33]), listed([120], [75])])
  for (const search of ['/a.jpg&w=100', '/a.jpg&w=64&q=33', '/_portico/static/photo-1a2b3c4d.jpg&w=120&q=33'])
    expect([search, await statusOf(search)]).toEqual([search, 200])
  const refused = await images.get('/a.jpg', { w: 101 })
  expect(refused.status).toBe(400)
  // The error names the sizes of this build.
  expect(await refused.text()).not.toContain('100')
  expect(origin.count(SIZES)).toBe(1)
})

test('I1 G3 sizes of a build that ended are refused, and new ones are known after 30 seconds', async () => {
  origin.responses[SIZES] = JSON.stringify([listed([100], [75], -1)])
  expect(await statusOf('/a.jpg&w=100')).toBe(400)
  origin.responses[SIZES] = JSON.stringify([listed([100], [75])])
  expect(await statusOf('/a.jpg&w=100')).toBe(400)
  images.pass(31)
  expect(await statusOf('/a.jpg&w=100')).toBe(200)
  // The gateway is unavailable: what is known remains until its own end.
  delete origin.responses[SIZES]
  images.pass(31)
  expect(await statusOf('/a.jpg&w=100')).toBe(200)
  images.pass(600)
  expect(await statusOf('/a.jpg&w=100')).toBe(400)
})

test('I1 only a number that this build refuses as a size requests the sizes of other builds', async () => {
  for (const search of [
    '/a.jpg&w=64',
    '/a.jpg',
    '/a.jpg&w=x',
    '/a.jpg&w=64&w=64',
    'https://elsewhere.example/a.jpg&w=100',
  ])
    await statusOf(search)
  expect(origin.count(SIZES)).toBe(0)
})

test('I1 a text that no gateway writes allows nothing', async () => {
  for (const text of ['[{"widths":"100","qualities":[],"until":9e15}]', '{}', 'no json']) {
    origin.responses[SIZES] = text
    expect(await statusOf('/a.jpg&w=100')).toBe(400)
    images.pass(31)
  }
  expect(origin.count(SIZES)).toBe(3)
})
