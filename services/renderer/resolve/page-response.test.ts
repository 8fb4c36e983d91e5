// The response object of getServerSideProps.

import { expect, test } from 'vitest'
import { createPageResponse } from './page-response.ts'

test.each<[string, string | string[], string]>([
  ['X-Name', 'line\nbreak', 'ERR_INVALID_CHAR'],
  ['X-Name', ['fine', 'snow \u2603'], 'ERR_INVALID_CHAR'],
  ['X-Name', undefined as never, 'ERR_HTTP_INVALID_HEADER_VALUE'],
  ['No Name', 'value', 'ERR_INVALID_HTTP_TOKEN'],
])('D2 refuses the header %s: %j where the page sets it, as on Node', (name, value, code) => {
  const response = createPageResponse()
  expect(() => response.setHeader(name, value)).toThrow(expect.objectContaining({ code }))
  expect(() => response.writeHead(200, { [name]: value })).toThrow(expect.objectContaining({ code }))
  expect(response.headers).toEqual({})
})

test('G1 D2 refuses a header of the framework where the page sets it', () => {
  const response = createPageResponse()
  expect(() => response.setHeader('Portico-Internal-Cache', 'HIT')).toThrow(/portico-internal-cache is not allowed/)
  expect(() => response.writeHead(200, { 'portico-internal-route': '/' })).toThrow(
    /portico-internal-route is not allowed/,
  )
})
