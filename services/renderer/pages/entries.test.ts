// Entries for the gateway's page cache, requested on the inner port.

import type { EntryDocument, EntryHead } from '@portico/shared/wire/page-entry.ts'
import { describe, expect, test } from 'vitest'
import { testSite } from '../testing/site.ts'
import { gate, rendererForTests, startRenderer } from '../testing/start-renderer.ts'

const { shared } = testSite
const under = rendererForTests()

const requestShared = (name: string, more = {}) =>
  under.renderer.requestEntry('/shared/[name]', { params: { name }, ...more })

describe('the outcome of an entry', () => {
  test('W8 a page has the bytes, tags, policy and links of the public responses', async () => {
    shared.same = () => ({ props: { here: 'Grüße' }, revalidate: 10, tags: ['one', 'two'] })
    const { head, html, data } = await requestShared('same')
    const document = await under.renderer.request('/shared/same')
    const json = await under.renderer.requestData('/shared/same.json')
    expect([html.toString(), data.toString()]).toEqual([document.body, json.body])
    expect(head).toEqual({
      kind: 'page',
      status: 200,
      version: under.renderer.pages.version,
      verdict: 'MISS',
      confirmation: 'confirmed',
      ageMs: 0,
      freshMs: 10_000,
      tags: ['one', 'two'],
      htmlEtag: document.headers.etag,
      dataEtag: json.headers.etag,
      policy: { name: 'content-security-policy', value: document.headers['content-security-policy'] },
      link: document.headers.link,
      htmlBytes: html.length,
      dataBytes: data.length,
    })
    expect(document.headers['portico-internal-cache']).toBe('HIT')
  })

  test('W8 G6 a document has the policy of its route, and an entry without a policy has none', async () => {
    const site = { directives: { 'default-src': ["'self'"] }, reportOnly: true }
    const renderer = await startRenderer(under.site, { csp: { site, routes: { '/about': null }, screen: null } })
    const policyOf = async (pattern: string) => ((await renderer.requestEntry(pattern)).head as EntryDocument).policy
    const { headers } = await renderer.request('/')
    const name = 'content-security-policy-report-only'
    expect(headers[name]).toContain("default-src 'self'")
    expect(await policyOf('/')).toEqual({ name, value: headers[name] })
    expect(await policyOf('/about')).toBeUndefined()
    await renderer.stop()
  })

  test('W8 a route whose name is not ASCII has an entry', async () => {
    const { head, html } = await under.renderer.requestEntry('/to-\u65e5\u672c')
    const { body, headers } = await under.renderer.request('/to-%E6%97%A5%E6%9C%AC')
    expect([head, html.toString()]).toMatchObject([{ kind: 'page', link: headers.link }, body])
  })

  test('W8 age and verdict are those of the renderer, and an expired page is refreshed in the background', async () => {
    let count = 0
    shared.aging = () => ({ props: { count: ++count }, revalidate: 10 })
    const load = async () => {
      const { head, data } = await requestShared('aging')
      return [head.verdict, head.ageMs, JSON.parse(data.toString()).props.count]
    }
    expect(await load()).toEqual(['MISS', 0, 1])
    under.renderer.clock.now += 10_000
    expect(await load()).toEqual(['HIT', 10_000, 1])
    under.renderer.clock.now += 1
    expect(await load()).toEqual(['STALE', 10_001, 1])
    await expect.poll(load).toEqual(['HIT', 0, 2])
    expect(count).toBe(2)
  })

  test('W8 a page that is never stale has no limit of freshness', async () => {
    expect((await under.renderer.requestEntry('/about')).head).toMatchObject({ kind: 'page', freshMs: null, tags: [] })
  })

  test('W8 has no bytes for a page that the gateway holds, until the page is revalidated', async () => {
    let count = 0
    shared.held = () => ({ props: { count: ++count }, tags: ['held'] })
    const { head } = await requestShared('held')
    const { htmlEtag, dataEtag } = head as Extract<EntryHead, { kind: 'page' }>
    const have = { htmlEtag, dataEtag }
    const again = await requestShared('held', { have })
    expect(again.head).toMatchObject({ kind: 'unchanged', verdict: 'HIT', tags: ['held'], htmlBytes: 0, dataBytes: 0 })
    const other = await requestShared('held', { have: { htmlEtag, dataEtag: '"other"' } })
    expect(other.head).toMatchObject({ kind: 'page', htmlEtag, dataEtag })
    await under.renderer.invalidate({ tags: ['held'] })
    expect((await requestShared('held', { have })).head).toMatchObject({ kind: 'page', verdict: 'MISS' })
    expect(count).toBe(2)
  })

  test('W8 a redirect has the location of the document, and the page data', async () => {
    shared.moved = () => ({ redirect: { destination: '/caf\u00e9 bar?a=1', permanent: true }, tags: ['m'] })
    const { head, data } = await requestShared('moved')
    const document = await under.renderer.request('/shared/moved')
    expect(head).toMatchObject({ kind: 'redirect', status: 308, location: document.headers.location, tags: ['m'] })
    expect(data.toString()).toBe((await under.renderer.requestData('/shared/moved.json')).body)
  })

  test.each([
    ['an empty location', '', 'redirect'],
    ['a location that cannot be encoded', '/\ud800', 'error'],
  ])('W8 a redirect to %s is an entry', async (_name, destination, kind) => {
    shared.odd = () => ({ redirect: { destination, permanent: false } })
    await under.renderer.invalidate({ paths: ['/shared/odd'] })
    const { head } = await requestShared('odd')
    const { status, headers } = await under.renderer.request('/shared/odd')
    expect(head.kind).toBe(kind)
    expect([status, headers.location]).toEqual(
      kind === 'error' ? [500, undefined] : [307, 'location' in head && head.location],
    )
  })

  test('W8 a missing page has no bytes: by its data function, its component, or getStaticPaths', async () => {
    shared.missing = () => ({ notFound: true, revalidate: 5, tags: ['gone'] })
    shared.thrown = () => ({ props: { throws: 'not-found' } })
    expect((await requestShared('missing')).head).toMatchObject({ kind: 'not-found', freshMs: 5000, tags: ['gone'] })
    expect((await requestShared('thrown')).head).toMatchObject({ kind: 'not-found', htmlBytes: 0 })
    const unlisted = await under.renderer.requestEntry('/listed/[name]', { params: { name: 'other' } })
    expect(unlisted.head).toMatchObject({ kind: 'not-found', freshMs: null, htmlBytes: 0, dataBytes: 0 })
  })

  test('W8 the screen of a missing page is an entry with status 404', async () => {
    const { head, html } = await under.renderer.requestEntry('/404')
    const { status, body } = await under.renderer.request('/none')
    expect([head, html.toString()]).toMatchObject([{ kind: 'page', status: 404 }, body])
    expect(status).toBe(404)
  })

  test('W8 a page with fallback true is a shell while its first render runs, and then the page', async () => {
    let count = 0
    const ready = gate()
    shared.slow = async () => {
      count++
      await ready.opened
      return { props: { count } }
    }
    const request = () => under.renderer.requestEntry('/shell/[name]', { params: { name: 'slow' } })
    for (let time = 0; time < 2; time++) expect((await request()).head).toMatchObject({ kind: 'shell', htmlBytes: 0 })
    const waiting = under.renderer.requestData('/shell/slow.json')
    ready.open(undefined)
    await waiting
    expect((await request()).head).toMatchObject({ kind: 'page', verdict: 'HIT' })
    expect(count).toBe(1)
  })

  test('W8 X2 the page data of Next.js is never a shell: all requests wait for the render that the shell has begun', async () => {
    let count = 0
    const ready = gate()
    shared.late = async () => {
      count++
      await ready.opened
      return { props: { count } }
    }
    const request = (as?: 'next-data') =>
      under.renderer.requestEntry('/shell/[name]', { params: { name: 'late' }, ...(as && { as }) })
    const waiting = [request('next-data'), request('next-data')]
    expect((await request()).head).toMatchObject({ kind: 'shell' })
    ready.open(undefined)
    for (const { head, data } of await Promise.all(waiting))
      expect([head.kind, data.toString()]).toEqual(['next-data', '{"pageProps":{"count":1},"__N_SSG":true}'])
    expect(count).toBe(1)
  })

  test('W8 E4 a failure has the screen and the digest of the log, and is kept by no cache', async () => {
    let calls = 0
    shared.broken = () => {
      if (++calls === 1) throw new Error('secret-of-the-source')
      return { props: { calls } }
    }
    under.renderer.errors.length = 0
    const { head, html } = await requestShared('broken')
    const [line] = under.renderer.errors
    expect(head).toMatchObject({ kind: 'error', code: 'internal', digest: line?.digest, dataBytes: 0 })
    expect(under.renderer.errors).toHaveLength(1)
    expect(html.toString()).toContain(String(line?.digest))
    expect(html.toString()).toContain('"url":"/shared/broken"')
    expect(html.toString()).not.toContain('secret-of-the-source')
    expect((head as Extract<EntryHead, { kind: 'error' }>).policy?.value).toContain("script-src 'self'")
    expect((await requestShared('broken')).head.kind).toBe('page')
  })

  test('W8 a page that is too large for an entry is passed on by the gateway', async () => {
    shared.huge = () => ({ props: { text: 'x'.repeat(2_200_000) } })
    expect((await requestShared('huge')).head).toMatchObject({ kind: 'too-large', htmlBytes: 0, dataBytes: 0 })
  })
})

describe('one look-up', () => {
  test('D5 requests of gateways and of clients for a cold page share one render', async () => {
    let count = 0
    const ready = gate()
    shared.both = async () => {
      count++
      await ready.opened
      return { props: { count } }
    }
    const entries = Array.from({ length: 10 }, () => requestShared('both'))
    const documents = Array.from({ length: 10 }, () => under.renderer.request('/shared/both'))
    await expect.poll(() => count).toBe(1)
    ready.open(undefined)
    const bodies = (await Promise.all(documents)).map(({ body }) => body)
    expect(new Set([...bodies, ...(await Promise.all(entries)).map(({ html }) => html.toString())]).size).toBe(1)
    expect(count).toBe(1)
  })

  test('C2 params in any order are one page, with the bytes of the public response', async () => {
    let count = 0
    shared.pairs = ({ params }) => ({ props: { ...params, count: ++count } })
    const { body } = await under.renderer.requestData('/pairs/a%20b/2.json')
    for (const params of [
      { first: 'a b', second: '2' },
      { second: '2', first: 'a b' },
    ])
      expect((await under.renderer.requestEntry('/pairs/[first]/[second]', { params })).data.toString()).toBe(body)
    expect(count).toBe(1)
  })

  test('C2 D7 the document names the canonical address, with basePath and slash', async () => {
    const renderer = await startRenderer(under.site, { basePath: '/docs', trailingSlash: true })
    shared.there = () => ({ props: {} })
    const { html } = await renderer.requestEntry('/shared/[name]', { params: { name: 'there' } })
    expect(html.toString()).toContain('"url":"/docs/shared/there/"')
    expect(html.toString()).toBe((await renderer.request('/docs/shared/there/')).body)
    await renderer.stop()
  })

  test('C2 a page for all clients is rendered for the public origin, whatever Host started the render', async () => {
    const renderer = await startRenderer(under.site, { publicOrigin: 'https://site.example' })
    const hosts: unknown[] = []
    renderer.actions.respond = ({ headers }, response) => {
      hosts.push([headers['x-forwarded-proto'], headers['x-forwarded-host']])
      response.end()
    }
    shared.entry = shared.client = async (_context, { fetch }) => ({
      props: { status: (await fetch('/api/x')).status },
    })
    await renderer.requestEntry('/shared/[name]', { params: { name: 'entry' } })
    await renderer.request('/shared/client', { headers: { 'x-forwarded-host': 'evil.example' } })
    expect(hosts).toEqual(Array(2).fill(['https', 'site.example']))
    await renderer.stop()
  })
})
