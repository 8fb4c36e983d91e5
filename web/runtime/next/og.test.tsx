// The options of an ImageResponse (X1). What it draws is in infra/conformance, with the packages of a site.

import { expect, test } from 'vitest'
import { ImageResponse } from './og.ts'

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
