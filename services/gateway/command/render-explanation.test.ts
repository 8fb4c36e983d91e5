// The text of explanations.

import { expect, it } from 'vitest'
import type { WhyExplanation } from '../explanation.ts'
import { renderExplanation } from './render-explanation.ts'
import { FROM_MEMORY, REDIRECTED, REFUSED, UNCACHED } from './testing/explanations.ts'

const linesOf = (explanation: WhyExplanation) => renderExplanation(explanation).trimEnd().split('\n')

it('O9 shows a page from memory on one screen: what responds, why, and the cause of each header', () => {
  const lines = linesOf(FROM_MEMORY)
  expect(lines[0]).toBe('/places/skarnvik: from memory (HIT), page /places/[slug], 12 s old')
  expect(lines.length).toBeLessThanOrEqual(40)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  for (const line of [
    '  ✓ redirects   no redirect applies',
    '  ■ respond     page /places/[slug]',
    'page      /places/[slug]  slug=skarnvik  data static',
    'entry     fresh: 12 s old, fresh for 60 s, made by 10.0.0.12:3001, 14.2 kB, compressed as br, gzip',
    'tags      places, prices',
    'decision  hit: the entry is sent as it is',
    'renderer  10.0.0.12:3001 ready, 0 requests, first choice; 10.0.0.11:3001 ready, 2 requests',
    'images    10.0.0.31:3002 resting, 1 request',
    'x-robots-tag            noarchive                           headers[2] (/places/:path*)',
    'stored    by everyone, after asking: Cache-Control is public, max-age=0, must-revalidate',
    '  ✓ requests at one replica at the same time: 4096, now 0 at 10.0.0.12:3001',
  ])
    expect(lines).toContain(line)
})

it('O9 says why a page is not cached, and that a renderer adds headers', () => {
  const lines = linesOf(UNCACHED)
  expect(lines[0]).toBe('/account?tab=1: from a renderer (uncached), page /account')
  expect(lines).toContain('page      /account  locale fr  data server')
  expect(lines).toContain('uncached  the page has getServerSideProps')
  expect(lines).toContain('and headers that the service adds itself')
  expect(lines).toContain('stored    the service decides: its Cache-Control is passed on')
})

it('O9 names the limit that refuses a request, with cause and remedy of the error', () => {
  const lines = linesOf(REFUSED)
  expect(lines[0]).toBe('POST /guestbook: 429 too-many-requests, at the step route')
  expect(lines).toContain('  ■ route       refused: too-many-requests')
  expect(lines.join(' ')).toMatch(/code {6}too-many-requests: One client sent more forms .* remedy {4}The client waits/)
  expect(lines.slice(-2)).toEqual([
    '  ✗ requests of one client that change something: 60 a minute, now the next one in 1 s',
    '    (RATE_LIMIT_POSTS): would refuse the request',
  ])
})

it('O9 names the rule of a redirect', () => {
  expect(linesOf(REDIRECTED)[0]).toBe('/old: 308 to /new, by redirects[1]')
})

it.each<[NonNullable<WhyExplanation['cache']>, string]>([
  [{ entry: 'stale', decision: 'refresh', ageSeconds: 400, freshSeconds: 60 }, 'from memory (STALE)'],
  [{ entry: 'none', decision: 'fill' }, 'from a renderer, which makes the page for all clients (MISS)'],
  [{ entry: 'fresh', decision: 'hit', ageSeconds: 200_000, freshSeconds: null }, '2 d old'],
])('O9 a page cache with %j responds %s', (cache, text) => {
  expect(linesOf({ ...FROM_MEMORY, cache })[0]).toContain(text)
})

it('O9 an explanation without a response ends with the step that ends it', () => {
  const { response: _, page: __, cache: ___, ...rest } = FROM_MEMORY
  const steps = [{ step: 'middleware' as const, found: 'middleware decides: --run runs it', isLast: true }]
  expect(linesOf({ ...rest, steps })[0]).toBe('/places/skarnvik: middleware: middleware decides: --run runs it')
})

it('O9 many replicas, many headers and long values take one screen, too', () => {
  const replicas = Array.from({ length: 30 }, (_, at) => ({
    service: 'renderer',
    name: `10.0.0.${at}:8080`,
    state: at === 29 ? 'silent' : 'ready',
    inFlight: 1,
    version: at === 28 ? 'new' : 'old',
    isHome: at === 28,
  }))
  const headers = Array.from({ length: 40 }, (_, at) => ({ name: `x-${at}`, value: 'v'.repeat(500), because: 'page' }))
  const lines = linesOf({
    ...FROM_MEMORY,
    request: { ...FROM_MEMORY.request, url: `/${'long/'.repeat(60)}` },
    replicas,
    cache: { ...FROM_MEMORY.cache, tags: Array.from({ length: 100 }, (_, at) => `tag-${at}`) },
    response: { ...FROM_MEMORY.response!, headers },
  })
  expect(lines.length).toBeLessThan(60)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  const text = lines.join(' ').replace(/ +/g, ' ')
  expect(text).toContain('renderer 10.0.0.28:8080 ready, 1 request, version new, first choice; 10.0.0.29:8080 silent')
  expect(text).toContain('26 more ready')
  expect(text).toContain('24 more: --json has all')
})

it('O9 SECURITY: a text with an escape sequence does not control the terminal', () => {
  const text = renderExplanation({ ...FROM_MEMORY, request: { ...FROM_MEMORY.request, url: '/\u001b[2J\u0007' } })
  expect(text).toMatch(/^\/\\x07: from memory/)
})
