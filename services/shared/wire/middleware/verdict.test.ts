import { expect, it } from 'vitest'
import { formatVerdict, MiddlewareFault, type MiddlewareVerdict, parseQuestion, parseVerdict } from './verdict.ts'

const next = (more: object = {}) => ({ kind: 'next', responseHeaders: [], ...more }) as MiddlewareVerdict

it.each<MiddlewareVerdict>([
  next({ requestHeaders: { set: { 'x-user': 'a' }, remove: ['cookie'] } }),
  next({
    responseHeaders: [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-empty', ''],
    ],
  }),
  { kind: 'rewrite', target: '/b?x=1', responseHeaders: [] },
  { kind: 'rewrite', target: 'https://other.example/x', responseHeaders: [] },
  { kind: 'redirect', status: 308, location: '/', responseHeaders: [] },
  { kind: 'response', status: 401, body: 'bm8=', responseHeaders: [['content-type', 'text/plain']] },
])('X15 W11 a verdict of $kind is read as it was written', (verdict) => {
  expect(parseVerdict(JSON.parse(formatVerdict(verdict)))).toEqual(verdict)
})

it.each<[string, unknown]>([
  ['another kind', { kind: 'pass', responseHeaders: [] }],
  ['no headers', { kind: 'next' }],
  ['a line end', next({ responseHeaders: [['x-a', 'b\r\nset-cookie: c=d']] })],
  ['a name in capitals', next({ responseHeaders: [['X-A', 'b']] })],
  ['framing of a response', next({ responseHeaders: [['content-length', '1']] })],
  ['a header of the protocol', next({ responseHeaders: [['x-middleware-next', '1']] })],
  ['a forwarded header', next({ requestHeaders: { set: { 'x-forwarded-for': '127.0.0.1' }, remove: [] } })],
  ['an internal header', next({ requestHeaders: { set: { 'portico-internal-route': '{}' }, remove: [] } })],
  ['framing of a request', next({ requestHeaders: { set: { 'transfer-encoding': 'chunked' }, remove: [] } })],
  ['headers above the limit', next({ responseHeaders: [['x-a', 'a'.repeat(70_000)]] })],
  ['a target of another host in disguise', { kind: 'rewrite', target: '//other.example', responseHeaders: [] }],
  ['a target with a backslash', { kind: 'rewrite', target: '/\\other.example', responseHeaders: [] }],
  ['a location that runs code', { kind: 'redirect', status: 307, location: 'javascript:x', responseHeaders: [] }],
  ['a status that is no redirect', { kind: 'redirect', status: 200, location: '/', responseHeaders: [] }],
  ['an interim status', { kind: 'response', status: 101, body: '', responseHeaders: [] }],
  ['a large body', { kind: 'response', status: 200, body: 'a'.repeat(1_500_000), responseHeaders: [] }],
  ['nothing', undefined],
])('X15 W11 a verdict with %s is refused', (_what, value) => {
  expect(parseVerdict(value)).toBeUndefined()
})

it('X15 the message of a verdict that exceeds a bound names the rule for the author', () => {
  const write = () => formatVerdict(next({ responseHeaders: [['etag', '"1"']] }))
  expect(write).toThrow(MiddlewareFault)
  expect(write).toThrow("the header etag is the gateway's own and cannot be set by middleware")
})

it('X15 W11 a question of another shape is refused with the rule', () => {
  const question = { build: 'b1', method: 'GET', url: '/a', headers: { host: 'x' } }
  expect(parseQuestion(question)).toEqual(question)
  expect(parseQuestion({ ...question, url: 'https://x/' })).toBe('url: must be a path')
  expect(parseQuestion({ ...question, headers: { a: ['b'] } })).toBe('headers: must be an object of strings')
})
