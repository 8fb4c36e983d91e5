// The options of an ImageResponse (X1). What it draws is in infra/conformance, with the packages of a site.

import { expect, test, vi } from 'vitest'
import { ImageResponse } from './og.ts'

/** Images that are being drawn: each ends when the test calls its function. */
const drawn = vi.hoisted(() => [] as (() => void)[])
vi.mock('virtual:portico/og-packages', () => ({
  satori: async () => '<svg/>',
  renderAsync: () =>
    new Promise((done) => {
      drawn.push(() => done({ asPng: () => new Uint8Array([1]) }))
    }),
  geist: [],
}))

const image = (options?: ConstructorParameters<typeof ImageResponse>[1]) => new ImageResponse(<p>text</p>, options)

test('X1 next/og: the response is an image that caches confirm, with the headers and the status of the options', () => {
  const { status, headers } = image()
  expect([status, ...headers]).toEqual([
    200,
    ['cache-control', 'public, max-age=0, must-revalidate'],
    ['content-type', 'image/png'],
  ])
  const own = image({ status: 201, statusText: 'Drawn', headers: { 'Cache-Control': 'max-age=60', 'x-a': 'b' } })
  expect([own.status, own.statusText, own.headers.get('cache-control'), own.headers.get('x-a')]).toEqual([
    ...[201, 'Drawn', 'max-age=60', 'b'],
  ])
  expect([own instanceof Response, ImageResponse.displayName, own.bodyUsed]).toEqual([true, 'ImageResponse', false])
})

test.each([
  [{ width: 100_000 }, 'width=100000 is not allowed; it must be an integer from 1 to 4096'],
  [{ height: 0 }, 'height=0 is not allowed; it must be an integer from 1 to 4096'],
  [{ height: Number('x') }, 'height=NaN is not allowed'],
  [{ width: 600.5 }, 'width=600.5 is not allowed'],
  [{ width: 4096, height: 4096 }, 'width=4096 and height=4096 are not allowed; an image has 8388608 pixels at most'],
])('X1 next/og: %j is refused', (options, message) => {
  expect(() => image(options)).toThrow(`ImageResponse: ${message}`)
})

test('X1 next/og: images are drawn one at a time, and one that no client waits for is not', async () => {
  const [first, second, third] = [image(), image(), image()].map(({ body }) => body!.getReader())
  const [one, two, three] = [first!.read(), second!.read(), third!.read()]
  await vi.waitFor(() => expect(drawn).toHaveLength(1))
  await second!.cancel()
  drawn.shift()!()
  expect((await one).value).toEqual(new Uint8Array([1]))
  await vi.waitFor(() => expect(drawn).toHaveLength(1))
  drawn.shift()!()
  expect((await three).value).toEqual(new Uint8Array([1]))
  expect([await two, drawn]).toEqual([{ done: true, value: undefined }, []])
})
