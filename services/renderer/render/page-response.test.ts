// The response object of getServerSideProps.

import { expect, test } from 'vitest'
import { createPageResponse } from './data-arguments.ts'

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

test('X7 D2 appends to headers, lists them, and knows that it was ended', () => {
  const response = createPageResponse()
  response.appendHeader('Set-Cookie', 'a=1').appendHeader('set-cookie', ['b=2', 'c=3']).appendHeader('X-One', '1')
  response.setHeaders(new Map([['X-Two', '2']])).setHeaders(new Headers([['x-three', '3']]))
  expect(response.getHeaders()).toEqual({
    'set-cookie': ['a=1', 'b=2', 'c=3'],
    'x-one': '1',
    'x-two': '2',
    'x-three': '3',
  })
  expect([response.hasHeader('SET-COOKIE'), response.hasHeader('toString')]).toEqual([true, false])
  expect(response.getHeaderNames()).toEqual(['set-cookie', 'x-one', 'x-two', 'x-three'])
  expect([response.headersSent, response.writableEnded, response.finished]).toEqual([false, false, false])
  response.end('x')
  expect([response.headersSent, response.writableEnded, response.finished]).toEqual([true, true, true])
})

test('X7 a single cookie is a list, too', () => {
  expect(createPageResponse().setHeader('Set-Cookie', 'a=1').getHeader('set-cookie')).toEqual(['a=1'])
})

test('X7 all cookies of a Headers object are kept', () => {
  const headers = new Headers([
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
  ])
  expect(createPageResponse().setHeaders(headers).getHeader('set-cookie')).toEqual(['a=1', 'b=2'])
})

test('G1 X7 refuses a header of the framework that the page appends', () => {
  expect(() => createPageResponse().appendHeader('Portico-Internal-Cache', 'HIT')).toThrow(/is not allowed/)
})

test.each(['on', 'once', 'flushHeaders', 'pipe'])('X7 D2 names res.%s() as missing', (name) => {
  const response = createPageResponse() as never as Record<string, () => void>
  expect(() => response[name]?.()).toThrow(`res.${name}() is not available in getServerSideProps`)
})
