// Draft mode of pages with getStaticProps, and the attacks on it (X13), through the ports of the renderer.

import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import { DRAFT_COOKIE } from '@portico/shared/wire/cookies/draft-mode.ts'
import { formatEntryTarget, parseEntry } from '@portico/shared/wire/page-entry.ts'
import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { PREVIEW_DATA_COOKIE } from '@portico/shared/wire/testing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testSite } from '../testing/site.ts'
import {
  ACTION_KEY,
  rendererForTests,
  shownProps,
  startRenderer,
  type TestRenderer,
  type TestResponse,
  TOKEN,
} from '../testing/start-renderer.ts'

const under = rendererForTests()
const next = {} as { renderer: TestRenderer }
beforeAll(async () => {
  next.renderer = await startRenderer(under.site, { semantics: { dataUrls: true, previewMark: true } })
})
afterAll(() => next.renderer.stop())

const HOST = 'draft.example'
const log = createLog('renderer', 'silent')

function sealOf({ secret = ACTION_KEY, origin = `http://${HOST}`, basePath = '', nowMs = Date.now() } = {}) {
  return createCookieSeals({ keyring: createFixedKeyring([secret]), now: () => nowMs, log })({
    origin,
    basePath,
    requestId: 'r',
  })
}

const life = { maxAgeSeconds: 60 }
const genuine = sealOf().sealDraft(DRAFT_COOKIE, life)
const ON = `${DRAFT_COOKIE}=${genuine}`
const withData = (data: object) =>
  `${ON}; ${PREVIEW_DATA_COOKIE}=${sealOf().sealDraft(PREVIEW_DATA_COOKIE, { ...life, data })}`

const get = (path: string, headers = {}, renderer = under.renderer) =>
  renderer.request(path, { headers: { host: HOST, ...headers } })
const dataOf = (path: string) => dataUrl('', under.renderer.manifest.buildId, path)
const nextDataOf = (path: string) => `/_next/data/${under.renderer.manifest.buildId}${path}.json`

/** getStaticProps of the name shows its context, and counts its runs. */
function showContext(name: string) {
  const counted = { runs: 0 }
  testSite.shared[name] = ({ draftMode, preview, previewData, params }) => {
    counted.runs++
    return {
      props: { draftMode: draftMode ?? null, preview: preview ?? null, previewData: previewData ?? null, params },
    }
  }
  return counted
}

const DRAFT = { draftMode: true, preview: true }
const PUBLISHED = { draftMode: null, preview: null, previewData: null }

function expectPrivate({ headers }: TestResponse) {
  expect(headers['cache-control']).toBe('private, no-store')
  expect([headers.etag, headers['portico-internal-cache']]).toEqual([undefined, undefined])
}

describe('a page with getStaticProps in draft mode', () => {
  test('X13 is rendered per request with the context, in the document and both forms of page data', async () => {
    const counted = showContext('draft')
    const client = { cookie: withData({ post: 7 }) }
    const props = { ...DRAFT, previewData: { post: 7 }, params: { name: 'draft' } }
    for (let request = 1; request <= 2; request++) {
      const page = await get('/shared/draft', client)
      expect(shownProps(page)).toEqual(props)
      expectPrivate(page)
      expect(counted.runs).toBe(request)
    }
    const data = await get(dataOf('/shared/draft'), client)
    expect(JSON.parse(data.body)).toEqual({ kind: 'page', route: '/shared/[name]', params: { name: 'draft' }, props })
    expectPrivate(data)
    const nextData = await get(nextDataOf('/shared/draft'), client, next.renderer)
    expect(JSON.parse(nextData.body)).toEqual({ pageProps: props, __N_SSG: true, __N_PREVIEW: true })
    expectPrivate(nextData)
  })

  test('X13 leaves no entry behind, and reads none', async () => {
    const counted = showContext('apart')
    const client = { cookie: ON }
    expect(shownProps(await get('/shared/apart', client))).toMatchObject({ ...DRAFT, previewData: {} })
    const published = await get('/shared/apart')
    expect(shownProps(published)).toMatchObject(PUBLISHED)
    expect(published.headers['cache-control']).toBe('public, max-age=0, must-revalidate')
    expect(counted.runs).toBe(2)
    const etag = String(published.headers.etag)
    const draft = await get('/shared/apart', { ...client, 'if-none-match': etag })
    expect([draft.status, shownProps(draft)]).toEqual([200, expect.objectContaining(DRAFT)])
    expect(shownProps(await get('/shared/apart'))).toMatchObject(PUBLISHED)
    expect(counted.runs).toBe(3)
    const { data } = await under.renderer.requestEntry('/shared/[name]', { params: { name: 'apart' } })
    expect(JSON.parse(data.toString()).props).toMatchObject(PUBLISHED)
    expect(counted.runs).toBe(3)
  })

  test('X13 exists for paths that getStaticPaths does not name, and needs no shell', async () => {
    showContext('unlisted')
    expect((await get('/listed/unlisted')).status).toBe(404)
    expect(shownProps(await get('/listed/unlisted', { cookie: ON }))).toMatchObject(DRAFT)
    expect((await get('/listed/unlisted')).status).toBe(404)
    const page = await get('/shell/unlisted', { cookie: ON })
    expect(shownProps(page)).toMatchObject(DRAFT)
    expect(page.body).toContain('<title>View</title>')
  })

  test('X13 redirects and is missing for this client alone', async () => {
    testSite.shared.moving = ({ draftMode }) =>
      draftMode ? { redirect: { destination: '/about', permanent: true } } : { notFound: true }
    testSite.shared.gone = ({ draftMode }) => (draftMode ? { notFound: true } : { props: {} })
    const moved = await get('/shared/moving', { cookie: ON })
    expect([moved.status, moved.headers.location]).toEqual([308, '/about'])
    expectPrivate(moved)
    expect((await get('/shared/moving')).status).toBe(404)
    const gone = await get('/shared/gone', { cookie: ON })
    expect([gone.status, gone.headers['cache-control']]).toEqual([404, 'private, no-store'])
    expect((await get(dataOf('/shared/gone'), { cookie: ON })).body).toBe('{"kind":"not-found"}')
    expect((await get('/shared/gone')).status).toBe(200)
  })

  test('X13 C6 is kept by no CDN, whatever header rules say of the path', async () => {
    showContext('ruled')
    const { build } = under.site
    const rules = [{ source: '/shared/:path*', headers: [{ key: 'CDN-Cache-Control', value: 'max-age=60' }] }]
    const manifest = { ...build.manifest, headers: rules }
    const renderer = await startRenderer({ ...under.site, build: { ...build, manifest } })
    try {
      // A header of the response takes precedence over that of a rule.
      for (const cookie of [ON, `${DRAFT_COOKIE}=forged`])
        expect((await get('/shared/ruled', { cookie }, renderer)).headers['cdn-cache-control']).toBe('no-store')
      expect((await get('/shared/ruled', {}, renderer)).headers['cdn-cache-control']).toBeUndefined()
    } finally {
      await renderer.stop()
    }
  })

  test('X13 A6 is the fresh page after an action, by the cookies that the browser has then', async () => {
    showContext('acted')
    const request = { url: '/shared/acted', as: 'data', headers: { host: HOST } }
    const draft = await under.renderer.requestInner('/internal/render', { ...request, cookies: ON })
    expect(JSON.parse(draft.body).props).toMatchObject(DRAFT)
    const published = await under.renderer.requestInner('/internal/render', { ...request, cookies: 'a=1' })
    expect(JSON.parse(published.body).props).toMatchObject(PUBLISHED)
  })

  test('X13 says in compatibility mode that it is a preview', async () => {
    showContext('marked')
    const { props } = JSON.parse((await get(dataOf('/shared/marked'), { cookie: ON }, next.renderer)).body)
    expect(props).toMatchObject({ ...DRAFT, __N_PREVIEW: true })
  })
})

test('X13 a page with getServerSideProps gets the context, and is private whatever its headers say', async () => {
  testSite.data.draft = ({ draftMode, preview, previewData, res }) => {
    res.setHeader('Cache-Control', 'public, s-maxage=60')
    return { props: { draftMode: draftMode ?? null, preview: preview ?? null, previewData: previewData ?? null } }
  }
  const draft = await get('/data/draft', { cookie: withData({ post: 7 }) })
  expect(shownProps(draft)).toEqual({ ...DRAFT, previewData: { post: 7 } })
  expectPrivate(draft)
  const forged = await get('/data/draft', { cookie: `${DRAFT_COOKIE}=forged` })
  expect(shownProps(forged)).toEqual(PUBLISHED)
  expectPrivate(forged)
  expect(removedBy(forged)).toEqual([DRAFT_COOKIE, PREVIEW_DATA_COOKIE])
  const published = await get('/data/draft')
  expect([shownProps(published), published.headers['cache-control']]).toEqual([PUBLISHED, 'public, s-maxage=60'])
})

/** The names of the cookies that the response removes. */
function removedBy({ headers }: TestResponse): string[] {
  return [headers['set-cookie'] ?? []]
    .flat()
    .filter((line) => line.includes('Expires=Thu, 01 Jan 1970'))
    .map((line) => line.split('=')[0]!)
}

describe('SECURITY: an attack on draft mode', () => {
  const changed = `${genuine.slice(0, -1)}${genuine.endsWith('A') ? 'B' : 'A'}`
  const data = sealOf().sealDraft(PREVIEW_DATA_COOKIE, { ...life, data: { a: 1 } })
  const bypass = (value: string) => `${DRAFT_COOKIE}=${value}`
  const session = sealOf().sealSession(DRAFT_COOKIE, { id: 'i', expiresAt: 9e9 }, { isEncrypted: true })
  test.each<[string, string]>([
    ['the text of Next.js', bypass('development-id')],
    ['a value that says yes', bypass('true')],
    ['a changed character', bypass(changed)],
    ['an encoded value', bypass(genuine.replace('d1.', 'd1%2e').replace(/.$/, '%41%00'))],
    ['nothing sealed', bypass('d1.')],
    ['a value of the other cookie', bypass(data)],
    ['a bypass in the place of data', `${ON}; ${PREVIEW_DATA_COOKIE}=${genuine}`],
    ['data alone', `${PREVIEW_DATA_COOKIE}=${data}`],
    ['forged data', `${ON}; ${PREVIEW_DATA_COOKIE}=${changed}`],
    ['a value of another origin', bypass(sealOf({ origin: 'http://other.example' }).sealDraft(DRAFT_COOKIE, life))],
    ['a value of https', bypass(sealOf({ origin: `https://${HOST}` }).sealDraft(DRAFT_COOKIE, life))],
    ['a value of another base path', bypass(sealOf({ basePath: '/shop' }).sealDraft(DRAFT_COOKIE, life))],
    ['a value of another key', bypass(sealOf({ secret: 'x'.repeat(40) }).sealDraft(DRAFT_COOKIE, life))],
    ['an expired value', bypass(sealOf({ nowMs: Date.now() - 61_000 }).sealDraft(DRAFT_COOKIE, life))],
    ['a signed cookie', bypass(sealOf().sign(DRAFT_COOKIE, '{"e":9999999999}'))],
    ['a session', bypass(session)],
    ['a session with another form', bypass(session.replace('e1.', 'd1.'))],
  ])('X13 with %s gives the published page, stores nothing, and removes the cookies', async (_name, cookie) => {
    showContext('attacked')
    for (const path of ['/shared/attacked', dataOf('/shared/attacked')]) {
      const response = await get(path, { cookie })
      expect(response.status).toBe(200)
      expect(path.startsWith('/shared') ? shownProps(response) : JSON.parse(response.body).props).toMatchObject(
        PUBLISHED,
      )
      expectPrivate(response)
      expect(removedBy(response)).toEqual([DRAFT_COOKIE, PREVIEW_DATA_COOKIE])
    }
    expect((await get('/listed/attacked', { cookie })).status).toBe(404)
  })

  test.each<[string, Record<string, string>, string?]>([
    ['headers of Next.js', { 'x-prerender-revalidate': genuine, 'x-middleware-prefetch': '1', 'x-nextjs-data': '1' }],
    ['a header of the name', { [DRAFT_COOKIE]: genuine, 'x-preview': '1', 'x-draft-mode': '1' }],
    ['internal headers', { 'portico-internal-draft': genuine, 'portico-internal-cache': 'MISS' }],
    ['the query', {}, `?${DRAFT_COOKIE}=${genuine}&preview=true&draftMode=true`],
    ['a cookie of a similar name', { cookie: `x${ON}; ${DRAFT_COOKIE}x=${genuine}; a=${ON}` }],
  ])('X13 with %s is a request of the public', async (_name, headers, search = '') => {
    showContext('public')
    const response = await get(`/shared/public${search}`, headers)
    expect(shownProps(response)).toMatchObject(PUBLISHED)
    expect(response.headers['set-cookie']).toBeUndefined()
  })

  test('X13 with a second cookie of the name neither hides nor replaces the genuine one', async () => {
    showContext('twice')
    const other = sealOf().sealDraft(DRAFT_COOKIE, life)
    for (const cookie of [
      `${bypass('d1.forged')}; ${ON}`,
      `${bypass('x')}; ${ON}`,
      `${ON}; ${bypass(changed)}`,
      `${bypass(other)}; ${ON}`,
    ])
      expect([cookie, shownProps(await get('/shared/twice', { cookie }))]).toEqual([
        cookie,
        expect.objectContaining(DRAFT),
      ])
    expect(shownProps(await get('/shared/twice', { cookie: `${bypass('x')}; ${bypass(changed)}` }))).toMatchObject(
      PUBLISHED,
    )
  })

  test('X13 with a cookie on a request for an entry changes nothing', async () => {
    showContext('filled')
    const request = {
      as: 'entry',
      pattern: '/shared/[name]',
      params: { name: 'filled' },
      position: { generation: 0 },
    } as const
    const headers = { authorization: `Bearer ${TOKEN}`, host: HOST, cookie: ON }
    const { status, body } = await under.renderer.getInner(formatEntryTarget(request)!, headers)
    expect(status).toBe(200)
    expect(JSON.parse(parseEntry(Buffer.from(body))!.data.toString()).props).toMatchObject(PUBLISHED)
  })
})
