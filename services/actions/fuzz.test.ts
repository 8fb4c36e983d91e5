// A thousand seeded requests that no browser sends: each response has a status below 500, and the handler only gets
// plain JSON, strings, files and lists (A3, E6).

import { createRandom } from '@portico/shared/kit/testing/random.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createKey } from './testing/requests.ts'
import { startActions, type TestActions } from './testing/start-actions.ts'

const REQUESTS = 1000
const SEED = 20_261_121

let service: TestActions
const seen: unknown[][] = []
beforeAll(async () => {
  const remember = (...args: unknown[]) => {
    seen.push(args)
  }
  service = await startActions({ actions: { a: remember } })
})
afterAll(() => service.stop())

const WORDS = [
  'a',
  '',
  '__proto__',
  'constructor',
  '$ACTION_ID_a',
  '$ACTION_REF_1',
  '$ACTION_1:0',
  '$ACTION_KEY',
  '$args',
  '$portico_key',
  '%',
  '%00',
  '\u0000',
  'ä',
  '"',
  '\r\n',
  '[]',
  '{"$portico":"form"}',
  '{"args":[]}',
  '{"id":"a","bound":"x.y"}',
  'x'.repeat(300),
  '[['.repeat(40),
  '1e999',
  'null',
]
const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=B'
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=B',
  'multipart/form-data',
  'text/plain',
  '',
  'multipart/form-data; boundary="',
  'application/json;charset=utf-16',
]

/** A body, and its matching type. */
function bodyOf({ next, pick }: ReturnType<typeof createRandom>): [string, string] {
  const words = () => Array.from({ length: Math.floor(next() * 5) }, () => pick(WORDS))
  switch (Math.floor(next() * 5)) {
    case 0:
      return [FORM, words().join(pick(['&', '=', ',', '']))]
    case 1:
      return [
        FORM,
        [
          '$ACTION_ID_a=',
          `n=${next()}`,
          words()
            .map(encodeURIComponent)
            .join(pick(['=', '&'])),
        ].join('&'),
      ]
    case 2:
      return [
        JSON_TYPE,
        JSON.stringify({
          [pick(['args', 'bound', '__proto__'])]: words(),
          args: next() < 0.5 ? words() : pick(WORDS),
        }),
      ]
    case 3: {
      const parts = words().map(
        (name) =>
          `--B\r\nContent-Disposition: form-data; name="${name}"${next() < 0.3 ? `; filename="${pick(WORDS)}"` : ''}\r\n\r\n${pick(WORDS)}\r\n`,
      )
      return [
        MULTIPART,
        `${parts.join('')}--B\r\ncontent-disposition: form-data; name="$args"\r\n\r\n[{"$portico":"form"}]\r\n${next() < 0.8 ? '--B--\r\n' : ''}`,
      ]
    }
    default: {
      const text = JSON.stringify({ args: [{ deep: words(), n: next() }] })
      const at = Math.floor(next() * text.length)
      return [JSON_TYPE, next() < 0.5 ? text : text.slice(0, at) + pick(WORDS) + text.slice(at + 1)]
    }
  }
}

it(`E6 responds to ${REQUESTS} random requests without a 5xx (seed ${SEED})`, {
  timeout: 30_000,
}, async () => {
  const random = createRandom(SEED)
  const statuses = new Map<number, number>()
  for (let n = 0; n < REQUESTS; n += 10)
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const [suited, body] = bodyOf(random)
        const type = random.next() < 0.7 ? suited : random.pick(TYPES)
        const headers: Record<string, string> = { 'sec-fetch-site': 'same-origin', 'idempotency-key': createKey() }
        if (type !== '') headers['content-type'] = type
        if (random.next() < (suited === FORM ? 0.2 : 0.8))
          headers['portico-action'] = random.next() < 0.9 ? 'a' : 'toString'
        const response = await fetch(service.url, { method: 'POST', redirect: 'manual', headers, body })
        await response.arrayBuffer()
        expect(response.status, JSON.stringify({ body, headers })).toBeLessThan(500)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      }),
    )
  // The requests must reach the handler and every kind of refusal, or the test would prove nothing.
  expect([...statuses.keys()].sort()).toEqual([200, 303, 400, 404, 405, 415])
  expect(seen.length).toBeGreaterThan(50)
  for (const args of seen) for (const value of args) expect(isPlain(value), JSON.stringify(value)).toBe(true)
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
  expect(await service.uploads()).toEqual([])
  expect(service.lines.filter(({ level }) => level === 'error')).toEqual([])
})

function isPlain(value: unknown): boolean {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value) || value instanceof File) return true
  if (Array.isArray(value)) return value.every(isPlain)
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false
  return Object.entries(value).every(([name, item]) => name !== '__proto__' && name !== 'constructor' && isPlain(item))
}
