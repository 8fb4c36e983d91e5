// One render for all waiting requests, revalidation, and the requests of the actions service on the inner port.

import { describe, expect, test } from 'vitest'
import { warmRequest } from '../outcome/outcome.ts'
import { testSite } from '../testing/site.ts'
import { gate, rendererForTests, send, shownProps, startRenderer } from '../testing/start-renderer.ts'

const { data, shared } = testSite
const under = rendererForTests()

async function shownCount(path: string): Promise<unknown> {
  const response = await under.renderer.request(path)
  return (shownProps(response) as { count: unknown }).count
}

describe('one render', () => {
  test('D5 fifty requests for a cold page share one render, documents and data alike', async () => {
    let count = 0
    const ready = gate()
    shared.cold = async () => {
      count++
      await ready.opened
      return { props: { count } }
    }
    const visits = Array.from({ length: 50 }, (_, at) =>
      at % 2 ? under.renderer.request('/shared/cold') : under.renderer.requestData('/shared/cold.json'),
    )
    await expect.poll(() => count).toBe(1)
    ready.open(undefined)
    const responses = await Promise.all(visits)
    expect(count).toBe(1)
    expect(new Set(responses.map(({ body }) => body)).size).toBe(2)
    expect(shownProps(responses[1]!)).toEqual({ count: 1 })
    expect(JSON.parse(responses[0]!.body).props).toEqual({ count: 1 })
  })

  test('D5 all requests that wait for a failing render receive the failure, and the next request renders again', async () => {
    let count = 0
    const ready = gate()
    shared.shaky = async () => {
      if (++count > 1) return { props: { count } }
      await ready.opened
      throw new Error('the first time fails')
    }
    const request = { ...warmRequest(), url: '/shared/shaky', pathname: '/shared/shaky' }
    const visits = Array.from({ length: 5 }, () => under.renderer.pages.render(request))
    await expect.poll(() => count).toBe(1)
    ready.open(undefined)
    expect(await Promise.all(visits)).toEqual(
      Array(5).fill(expect.objectContaining({ kind: 'whole', code: 'internal' })),
    )
    expect(count).toBe(1)
    expect(await shownCount('/shared/shaky')).toBe(2)
  })

  test('D5 a refresh replaces document and data together', async () => {
    let count = 0
    shared.pair = () => ({ props: { count: ++count }, revalidate: 1 })
    for (let round = 1; round <= 3; round++) {
      await expect.poll(() => shownCount('/shared/pair')).toBe(round)
      expect(JSON.parse((await under.renderer.requestData('/shared/pair.json')).body).props).toEqual({ count: round })
      under.renderer.clock.now += 1001
      await under.renderer.request('/shared/pair')
      await expect.poll(() => count).toBe(round + 1)
    }
  })

  test('O4 warming fills the cache with every page whose path is known', async () => {
    const warmed: unknown[] = []
    shared.one = shared['caf\u00e9 bar'] = ({ params }) => {
      warmed.push(params.name)
      return { props: {} }
    }
    const fresh = await startRenderer(under.site)
    expect(await fresh.pages.warm()).toBeGreaterThanOrEqual(4)
    expect(warmed.sort()).toEqual(['caf\u00e9 bar', 'one'])
    for (const path of ['/', '/about', '/listed/one', '/listed/caf%C3%A9%20bar'])
      expect((await fresh.request(path)).headers['portico-internal-cache'], path).toBe('HIT')
    await fresh.stop()
  })

  test('O4 the first request renders a page that could not be warmed', async () => {
    shared.one = () => {
      throw new Error('not yet')
    }
    shared['caf\u00e9 bar'] = () => ({ props: {} })
    const fresh = await startRenderer(under.site)
    expect(await fresh.pages.warm()).toBeGreaterThanOrEqual(3)
    shared.one = () => ({ props: { late: true } })
    expect(shownProps(await fresh.request('/listed/one'))).toEqual({ late: true })
    await fresh.stop()
  })
})

describe('revalidation', () => {
  test('D6 by path: the next request receives a fresh page, and other pages are kept', async () => {
    let count = 0
    shared.path = shared.other = () => ({ props: { count: ++count } })
    expect([await shownCount('/shared/path'), await shownCount('/shared/other')]).toEqual([1, 2])
    expect((await under.renderer.invalidate({ paths: ['/shared/path'] })).status).toBe(200)
    expect([await shownCount('/shared/path'), await shownCount('/shared/other')]).toEqual([3, 2])
  })

  test('D6 by tag: every page with the tag is fresh', async () => {
    let count = 0
    shared.red = shared.blue = ({ params }) => ({ props: { count: ++count }, tags: ['colours', String(params.name)] })
    expect([await shownCount('/shared/red'), await shownCount('/shared/blue')]).toEqual([1, 2])
    await under.renderer.invalidate({ tags: ['red'] })
    expect([await shownCount('/shared/red'), await shownCount('/shared/blue')]).toEqual([3, 2])
    await under.renderer.invalidate({ tags: ['colours'] })
    expect([await shownCount('/shared/red'), await shownCount('/shared/blue')]).toEqual([4, 5])
  })

  test('D6 paths with any letters are named as an address bar shows them', async () => {
    let count = 0
    const name = 'caf\u00e9 a+b&c'
    shared[name] = () => ({ props: { count: ++count } })
    const path = `/shared/${encodeURIComponent(name)}`
    expect(await shownCount(path)).toBe(1)
    await under.renderer.invalidate({ paths: [`/shared/${name}`] })
    expect(await shownCount(path)).toBe(2)
    await under.renderer.invalidate({ paths: [path] })
    expect(await shownCount(path)).toBe(3)
  })

  test('D6 a render that began before a revalidation is neither kept nor sent to later requests', async () => {
    let value = 'old'
    const ready = gate()
    shared.racing = async () => {
      const read = value
      if (read === 'old') await ready.opened
      return { props: { count: read } }
    }
    const early = shownCount('/shared/racing')
    await new Promise((done) => setTimeout(done, 50))
    value = 'new'
    await under.renderer.invalidate({ paths: ['/shared/racing'] })
    expect(await shownCount('/shared/racing')).toBe('new')
    ready.open(undefined)
    expect(await early).toBe('old')
    expect(await shownCount('/shared/racing')).toBe('new')
  })

  test('D6 a malformed request is refused with its rule', async () => {
    for (const [body, rule] of [
      [{}, 'paths: must be a list of strings'],
      [null, 'the body must be an object'],
    ] as const) {
      const response = await under.renderer.requestInner('/internal/invalidate', body)
      expect([response.status, JSON.parse(response.body).error.message]).toEqual([400, rule])
    }
  })

  test('O9 control endpoints are not on the public port', async () => {
    for (const path of ['/internal/invalidate', '/internal/render']) {
      expect((await send(under.renderer.port, path, { method: 'POST', body: '{}' })).status).toBe(405)
      expect((await under.renderer.request(path)).status).toBe(404)
    }
  })
})

describe('inner render', () => {
  test('W6 returns data with the cookies and headers that the caller merged', async () => {
    data.client = ({ req }, { cookies, headers }) => ({
      props: {
        session: cookies().get('session'),
        agent: headers().get('user-agent'),
        // What libraries for sign-in read.
        headers: [headers().get('cookie'), req.headers.cookie],
      },
    })
    const { status, headers, body } = await under.renderer.requestInner('/internal/render', {
      url: '/data/client?a=1',
      as: 'data',
      cookies: 'session=abc; other=1',
      headers: { 'user-agent': 'tester', 'x-forwarded-host': 'site.example' },
    })
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const cookie = 'session=abc; other=1'
    const props = { session: 'abc', agent: 'tester', headers: [cookie, cookie] }
    expect(JSON.parse(body)).toMatchObject({ kind: 'page', props })
  })

  test('W6 returns the document with the requested status, stored by no cache', async () => {
    data.client = () => ({ props: { here: true } })
    for (const url of ['/data/client', '/about']) {
      const { status, headers } = await under.renderer.requestInner('/internal/render', {
        url,
        as: 'html',
        status: 422,
      })
      expect([status, headers['cache-control'], headers.etag], url).toEqual([422, 'private, no-store', undefined])
    }
  })

  test('W6 A1 the state of a post without JavaScript is in the page of the response', async () => {
    for (const url of ['/form', '/shared-form']) {
      const first = await under.renderer.request(url)
      expect(first.body).toContain('<p id="state">none</p>')
      const action = /&quot;id&quot;:&quot;([0-9a-f]{20})&quot;,&quot;bound&quot;:&quot;[\w-]+\.[\w-]+&quot;/.exec(
        first.body,
      )?.[1]
      const keyPath = /name="\$ACTION_KEY" value="([^"]*)"/.exec(first.body)?.[1]
      expect([action, keyPath], url).toEqual([expect.any(String), expect.any(String)])
      const formState = [{ message: 'Saved </script>' }, keyPath, action, 0]
      const { status, headers, body } = await under.renderer.requestInner('/internal/render', {
        url,
        as: 'html',
        formState,
      })
      expect([status, headers['cache-control']]).toEqual([200, 'private, no-store'])
      expect(body).toContain('<p id="state">Saved &lt;/script&gt;</p>')
      const element = /id="__PORTICO_DATA__">([\s\S]*?)<\/script>/.exec(body)?.[1] ?? ''
      expect(JSON.parse(element).formState).toEqual(formState)
      // No other client's page contains the state of this post.
      expect((await under.renderer.request(url)).body).toContain('<p id="state">none</p>')
    }
  })

  test('A5 a form of an uncacheable page has its own key, a form of a cacheable page has none', async () => {
    const keys = await Promise.all(
      ['/form', '/form', '/shared-form'].map(async (url) => {
        const { body } = await under.renderer.request(url)
        return /name="\$portico_key" value="([^"]+)"/.exec(body)?.[1]
      }),
    )
    expect(keys[0]).toMatch(/^[\w-]{22}$/)
    expect(keys[1]).not.toBe(keys[0])
    expect(keys[2]).toBeUndefined()
  })

  test.each([
    [undefined, true],
    ['private, no-store', true],
    ['no-store', true],
    ['private, max-age=0', true],
    ['private, no-cache', true],
    ['Private,max-age=0', true],
    ['public, s-maxage=60', false],
    ['public, max-age=0, must-revalidate', false],
    ['no-cache', false],
    ['private', false],
    ['private, max-age=60', false],
    ['private, no-cache="set-cookie"', false],
    ['', false],
  ])('A5 Cache-Control "%s" of getServerSideProps: each form has a key: %s', async (value, hasKey) => {
    data.form = ({ res }) => {
      if (value !== undefined) res.setHeader('Cache-Control', value)
      return { props: {} }
    }
    const { body } = await under.renderer.request('/form')
    expect(body.includes('name="$portico_key"')).toBe(hasKey)
  })

  test.each(['CDN-Cache-Control', 'Surrogate-Control', 'Example-CDN-Cache-Control', 'X-Accel-Expires'])(
    'A5 a page with %s has no key, because a cache in front may keep the page',
    async (name) => {
      data.form = ({ res }) => {
        res.setHeader(name, 'max-age=60')
        return { props: {} }
      }
      expect((await under.renderer.request('/form')).body).not.toContain('name="$portico_key"')
    },
  )

  test('W6 with status 404 it is the not-found screen, also where a page has the path', async () => {
    const { status, body } = await under.renderer.requestInner('/internal/render', {
      url: '/about',
      as: 'html',
      status: 404,
    })
    expect([status, body]).toEqual([404, expect.stringContaining('This page could not be found.')])
    expect(body).not.toContain('<h1>About</h1>')
  })

  test('W6 a malformed request is refused with its rule', async () => {
    for (const [body, rule] of [
      [{ as: 'html' }, 'url: must be a path'],
      [{ url: 'http://other.example/', as: 'html' }, 'url: must be a path'],
      [{ url: '/', as: 'text' }, 'as: must be "html" or "data"'],
      [{ url: '/', as: 'html', status: 42 }, 'status: must be 200 to 599'],
      [{ url: '/', as: 'html', formState: [1] }, 'formState: must have four members'],
      [{ url: '/', as: 'html', cookies: 1 }, 'cookies: must be a Cookie header'],
      [{ url: '/', as: 'html', epoch: 1, generation: 1 }, 'epoch: must be a string'],
      [{ url: '/', as: 'html', generation: '1' }, 'generation: must be a number'],
      [{ url: '/', as: 'html', headers: 1 }, 'headers: must be an object'],
    ] as const) {
      const response = await under.renderer.requestInner('/internal/render', body)
      expect([response.status, JSON.parse(response.body).error.message]).toEqual([400, rule])
    }
  })
})
