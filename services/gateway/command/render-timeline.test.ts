// The text of what happened to a request.

import { expect, it } from 'vitest'
import type { LogLine } from './collect-lines.ts'
import { renderTimeline } from './render-timeline.ts'
import { FAILED, gatewayLine as gateway, ID } from './testing/log-lines.ts'

const textOf = (...lines: LogLine[]) => renderTimeline(ID, { lines, leftOut: 0 })

it('G7 explains a page that failed: outcome, meaning of the fields, cause and remedy, then the lines', () => {
  const lines = textOf(...FAILED).split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(lines[0]).toBe('GET /places/nowhere: 500 internal in 18.4 ms, by renderer')
  for (const line of [
    'request   3f2a91c07be4d518, trace 0af7651916cd43dd8448eb211c80319c',
    'by        renderer, replica 10.0.0.12:8080, first byte at 17.9 ms',
    'rules     rewrites[0], headers[2]',
    'verdict   next: middleware let the request pass',
    'uncached  per-request: the page has a data function that runs for each request',
    'attempts  2: a replica failed before its response, and another one got the request',
    'code      internal: Code of the site or of the stack threw an error.',
    '02:46:12.104  renderer-2    render failed digest=5f0c1e9a7b route=/places/[slug]',
    '                  at Place (pages/places/[slug].tsx:14:22)',
    '              Caused by: Error: no rows',
    '02:46:12.107  gateway-1     500 GET /places/nowhere 18.4 ms',
  ])
    expect(lines).toContain(line)
})

it.each([
  [{ by: 'cache', cache: 'HIT' }, 'GET /a: 200 in 3.2 ms, from memory (HIT)', 'by        the memory of the gateway'],
  [
    { status: 503, code: 'overloaded', refused: 'ready-queue-full' },
    '503 overloaded',
    'refused   ready-queue-full: too',
  ],
  [
    { status: 307, by: 'gateway', rules: ['redirects[3]'] },
    '307 in 3.2 ms, by the gateway itself',
    'rules     redirects[3]',
  ],
  [
    { status: 403, by: 'gateway', verdict: 'response' },
    '403 in 3.2 ms',
    'verdict   response: middleware responded itself',
  ],
  [{ status: 499, incomplete: true }, '499 in 3.2 ms, the client closed the connection', ''],
  [{ incomplete: true }, 'the response broke off', ''],
  [{ uncached: 'a-later-code', code: 'a-later-error' }, 'a-later-error', 'uncached  a-later-code\n'],
])('G7 explains a line with %j', (fields, outcome, fact) => {
  const text = textOf(gateway(fields))
  expect(text.split('\n')[0]).toContain(outcome)
  expect(text).toContain(fact)
})

it('G7 lines without one of the gateway say why it may be missing', () => {
  const [error] = FAILED
  expect(textOf(error!)).toContain(`${ID}: the logs have no line of the gateway`)
})

it('G7 describes the request itself first, then those of its trace', () => {
  const inner = gateway({ requestId: 'a'.repeat(16), path: '/api/places' })
  const text = textOf(inner, gateway({}))
  expect(text.indexOf('GET /a: ')).toBe(0)
  expect(text).toContain('\nGET /api/places: 200')
  const many = Array.from({ length: 10 }, () => inner)
  const cut = renderTimeline(ID, { lines: many, leftOut: 7 })
  expect(cut).toContain('6 more requests of the same trace')
  expect(cut).toContain('7 more lines of the request')
})
