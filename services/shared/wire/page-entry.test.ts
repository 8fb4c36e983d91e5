import { describe, expect, test } from 'vitest'
import { ENTRY_HEAD_LIMIT_BYTES, ENTRY_LIMIT_BYTES, ENTRY_TARGET_LIMIT_BYTES } from './constants.ts'
import {
  type EntryFacts,
  type EntryOutcome,
  type EntryRequest,
  formatEntry,
  formatEntryTarget,
  parseEntry,
  parseEntryQuery,
} from './page-entry.ts'

const FACTS: EntryFacts = {
  version: '1f3a9c02.4be1d7/docs',
  verdict: 'HIT',
  confirmation: 'confirmed',
  ageMs: 12.5,
  freshMs: null,
  tags: ['news', 'Grüße\n'],
}
const TAGS = { htmlEtag: '"abc-_9"', dataEtag: '"def"' }
const HTML = Buffer.from('<h1>Grüße</h1>\n{"kind":"page"}')
const DATA = Buffer.from('{"kind":"page"}')
const PAGE: EntryOutcome = { kind: 'page', status: 200, ...TAGS }

const OUTCOMES: [EntryOutcome, { html?: Buffer; data?: Buffer }][] = [
  [PAGE, { html: HTML, data: DATA }],
  [
    {
      kind: 'page',
      status: 404,
      ...TAGS,
      link: '</a.css>; rel=preload',
      policy: { name: 'content-security-policy', value: "default-src 'self'" },
    },
    { html: HTML, data: DATA },
  ],
  [{ kind: 'redirect', status: 308, location: '/there?a=%20' }, { data: DATA }],
  [{ kind: 'not-found' }, {}],
  [{ kind: 'unchanged' }, {}],
  [{ kind: 'shell' }, {}],
  [{ kind: 'too-large' }, {}],
  [{ kind: 'error', code: 'internal' }, {}],
  [
    {
      kind: 'error',
      code: 'internal',
      digest: 'a1b2c3',
      policy: { name: 'content-security-policy-report-only', value: 'x' },
    },
    { html: HTML },
  ],
]

describe('an entry', () => {
  test.each(OUTCOMES)('W8 %j arrives as the renderer sent it', (outcome, { html, data }) => {
    const entry = parseEntry(formatEntry(FACTS, outcome, { ...(html && { html }), ...(data && { data }) }))
    const lengths = { htmlBytes: html?.length ?? 0, dataBytes: data?.length ?? 0 }
    expect(entry?.head).toEqual({ ...FACTS, ...outcome, ...lengths })
    expect([entry?.html.toString(), entry?.data.toString()]).toEqual([html?.toString() ?? '', data?.toString() ?? ''])
  })

  test('W8 a missing or additional byte refuses the entry, at every length', () => {
    const bytes = formatEntry(FACTS, PAGE, { html: HTML, data: DATA })
    for (let length = 0; length < bytes.length; length++)
      expect(parseEntry(bytes.subarray(0, length)), String(length)).toBeUndefined()
    expect(parseEntry(Buffer.concat([bytes, Buffer.from(' ')]))).toBeUndefined()
  })

  test('W8 an entry above a limit becomes one that the gateway passes on', () => {
    const head = formatEntry(FACTS, PAGE, { data: DATA }).length - DATA.length
    const most = ENTRY_LIMIT_BYTES - head - DATA.length - String(ENTRY_LIMIT_BYTES).length
    const kindOf = (facts: EntryFacts, html: Buffer) => parseEntry(formatEntry(facts, PAGE, { html, data: DATA }))?.head
    expect(kindOf(FACTS, Buffer.alloc(most))).toMatchObject({ kind: 'page' })
    expect(kindOf(FACTS, Buffer.alloc(most + 20))).toMatchObject({ kind: 'too-large', htmlBytes: 0, dataBytes: 0 })
    const tags = ['t'.repeat(ENTRY_HEAD_LIMIT_BYTES)]
    expect(kindOf({ ...FACTS, tags }, HTML)).toMatchObject({ kind: 'too-large', tags: [] })
    expect(parseEntry(Buffer.alloc(ENTRY_LIMIT_BYTES + 1))).toBeUndefined()
  })

  const HEAD = { ...FACTS, ...PAGE, htmlBytes: HTML.length, dataBytes: DATA.length }
  const withHead = (head: unknown) => parseEntry(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), HTML, DATA]))
  const withError = (more: object) =>
    parseEntry(
      Buffer.from(
        `${JSON.stringify({ ...FACTS, kind: 'error', code: 'internal', htmlBytes: 0, dataBytes: 0, ...more })}\n`,
      ),
    )

  test.each<object>([
    { kind: 'other' },
    { kind: 'not-found' },
    { kind: 'redirect', status: 308, location: '/a' },
    { kind: 'error', code: 'internal' },
    { version: '' },
    { version: undefined },
    { verdict: 'FALLBACK' },
    { confirmation: 'yes' },
    { ageMs: -1 },
    { ageMs: null },
    { freshMs: undefined },
    { freshMs: '1' },
    { tags: 'a' },
    { tags: [1] },
    { htmlBytes: HTML.length - 1 },
    { htmlBytes: -1 },
    { htmlBytes: 0, dataBytes: HTML.length + DATA.length },
    { dataBytes: 1.5 },
    { dataBytes: 1e300 },
    { status: 500 },
    { htmlEtag: 'abc' },
    { dataEtag: '"a"\r\nset-cookie: a=b' },
    { link: 'a\nb' },
    { policy: { name: 'set-cookie', value: 'a' } },
    { policy: { name: 'content-security-policy', value: 'a\r\nb' } },
    { policy: 'x' },
  ])('W8 a head with %j is refused', (member) => {
    expect(withHead(HEAD)).toBeDefined()
    expect(withHead({ ...HEAD, ...member })).toBeUndefined()
  })

  test.each<object>([{ code: 'toString' }, { code: 1 }, { digest: 'a\r\nb' }, { digest: 1 }, { dataBytes: 1 }])(
    'W8 an error with %j is refused',
    (member) => {
      expect(withError({})).toBeDefined()
      expect(withError(member)).toBeUndefined()
    },
  )

  test('W8 an entry with any damaged byte is refused or has exact lengths, and no entry throws', () => {
    let [refused, accepted] = [0, 0]
    for (const [outcome, parts] of OUTCOMES) {
      const bytes = formatEntry(FACTS, outcome, parts)
      for (let at = 0; at < bytes.length; at++)
        for (const value of ['\n', '"', '}', '1', 'a', ' ', '\0', '\xff']) {
          const damaged = Buffer.from(bytes)
          damaged[at] = Buffer.from(value, 'latin1')[0]!
          const entry = parseEntry(damaged)
          if (!entry) refused++
          else {
            accepted++
            expect(entry.html.length + entry.data.length).toBe(entry.head.htmlBytes + entry.head.dataBytes)
          }
        }
    }
    // Other bytes of pages, tags and names are as good as the right ones.
    expect(Math.min(refused, accepted)).toBeGreaterThan(1000)
  })
})

describe('the request for an entry', () => {
  test.each<EntryRequest>([
    { as: 'next-data', pattern: '/about', params: {}, position: { epoch: undefined, generation: 0 } },
    { as: 'entry', pattern: '/404', params: {}, position: { epoch: '', generation: 0 } },
    {
      as: 'entry',
      pattern: '/[a]/[[...b]]',
      params: { a: 'ä&=?#%\u0000"', b: ['', '/', ','] },
      position: { epoch: 'e&1', generation: 1 },
    },
    {
      as: 'entry',
      pattern: '/\u65e5',
      params: {},
      position: { epoch: 'e', generation: 1_763_000_000_000 },
      have: TAGS,
    },
  ])('W8 %j arrives as the gateway sent it', (request) => {
    const target = formatEntryTarget(request)!
    expect(target).toMatch(/^\/internal\/entry\?[\x21-\x7e]+$/)
    expect(parseEntryQuery(target.slice(target.indexOf('?')))).toEqual(request)
  })

  test('W8 has no target for params that are too long', () => {
    const request = (length: number): EntryRequest => ({
      as: 'entry',
      pattern: '/[a]',
      params: { a: 'a'.repeat(length) },
      position: { generation: 0 },
    })
    expect(formatEntryTarget(request(ENTRY_TARGET_LIMIT_BYTES - 200))).toBeDefined()
    expect(formatEntryTarget(request(ENTRY_TARGET_LIMIT_BYTES))).toBeUndefined()
  })

  const RIGHT = { as: 'entry', route: '/about', params: '{}', generation: '1' }
  test.each<[Record<string, string>, string]>([
    [{ as: 'html' }, 'as: must be "entry" or "next-data"'],
    [{ route: 'about' }, 'route: must be the pattern of a page'],
    [{ params: '{' }, 'params: must be JSON of the params of a route'],
    [{ params: '{"a":1}' }, 'params: must be JSON of the params of a route'],
    [{ generation: '' }, 'generation: must be a whole number'],
    [{ generation: '-1' }, 'generation: must be a whole number'],
    [{ generation: '1.5' }, 'generation: must be a whole number'],
    [{ have: '"a"' }, 'have: must be two entity tags'],
    [{ have: '"a","b","c"' }, 'have: must be two entity tags'],
    [{ have: 'a,b' }, 'have: must be two entity tags'],
  ])('W8 a query with %j is refused: %s', (member, rule) => {
    expect(parseEntryQuery(`?${new URLSearchParams(RIGHT)}`)).toMatchObject({ pattern: '/about' })
    expect(parseEntryQuery(`?${new URLSearchParams({ ...RIGHT, ...member })}`)).toBe(rule)
  })
})
