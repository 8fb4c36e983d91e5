// Actions through the service's port: the wire with JavaScript (W3, W4) and fresh data after an action (A6).

import { notFound } from '@portico/shared/wire/errors/control-flow.ts'
import { describe, expect, it } from 'vitest'
import { callAction, createKey } from './testing/requests.ts'
import { currentContext, defined, useActions } from './testing/start-actions.ts'

const start = useActions()

describe('a scripted action', () => {
  it('W4 responds with the value and fresh page data of the page that was posted to', async () => {
    const { url, renderer } = await start({ actions: { add: (a, b) => Number(a) + Number(b) } })
    const response = await callAction(url, 'add', [2, 3], { path: '/places/x?q=1' })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      kind: 'value',
      value: 5,
      page: { kind: 'page', route: '/', params: {}, props: { n: 1 } },
      revalidated: false,
    })
    expect(renderer.renders[0]?.body).toMatchObject({ url: '/places/x?q=1', as: 'data' })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('portico-build')).toBe('testbuild')
  })

  it('A6 requests no page data when the client does not want it', async () => {
    const { url, renderer } = await start({ actions: { get: () => 1 } })
    const response = await callAction(url, 'get', [], { headers: { 'portico-fresh': 'none' } })
    expect(await response.json()).toEqual({ kind: 'value', value: 1, revalidated: false })
    expect(renderer.renders).toEqual([])
  })

  it('A6 responds with the value without page data when the renderer is unavailable', async () => {
    const { url, renderer } = await start({ actions: { get: () => 1 } })
    await renderer.close()
    const response = await callAction(url, 'get', [])
    expect(await response.json()).toEqual({ kind: 'value', value: 1, revalidated: false })
  })

  it('A6 responds with the value without page data when the renderer fails', async () => {
    const { url, renderer } = await start({ actions: { get: () => 1 } })
    renderer.reply = () => ({ status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":{}}' })
    expect(await (await callAction(url, 'get', [])).json()).toEqual({ kind: 'value', value: 1, revalidated: false })
  })

  it("A6 requests fresh data with the action's cookies merged in and appends the cookies to the response", async () => {
    const { url, renderer } = await start({
      actions: {
        login: () => {
          currentContext().setCookies.push('session=new; HttpOnly', 'old=; Max-Age=0')
        },
      },
    })
    const response = await callAction(url, 'login', [], { headers: { cookie: 'old=1; kept=a%20b' } })
    expect(renderer.renders[0]?.body.cookies).toBe('kept=a%20b; session=new')
    expect(response.headers.getSetCookie()).toEqual(
      expect.arrayContaining(['session=new; HttpOnly', 'old=; Max-Age=0']),
    )
  })

  it('A6 A5 sends the headers that the action adds with its response, and again with the response of a repeat', async () => {
    let runs = 0
    const { url } = await start({
      actions: {
        save: () => {
          runs++
          currentContext().setHeader?.('x-remaining', '3')
          // The service writes type and caching last, whatever the action adds.
          currentContext().setHeader?.('cache-control', 'public')
        },
      },
    })
    const key = createKey()
    for (const _arrival of [1, 2]) {
      const { headers } = await callAction(url, 'save', [], { key })
      expect([headers.get('x-remaining'), headers.get('cache-control')]).toEqual(['3', 'private, no-store'])
    }
    expect(runs).toBe(1)
  })

  it('G1 refuses a header of the services from an action', async () => {
    const { url } = await start({ actions: { save: () => currentContext().setHeader?.('portico-internal-code', 'x') } })
    const response = await callAction(url, 'save', [])
    expect([response.status, response.headers.get('portico-internal-code')]).toEqual([500, 'internal'])
  })

  it('D6 publishes invalidations before it requests fresh data, and passes the position on', async () => {
    const { url, renderer } = await start({
      actions: {
        save: () => {
          currentContext().revalidations?.paths.add('/places/x')
          currentContext().revalidations?.tags.add('places')
        },
      },
    })
    const response = await callAction(url, 'save', [])
    expect(await response.json()).toMatchObject({ kind: 'value', revalidated: true })
    expect(renderer.order).toEqual(['invalidate', 'render'])
    expect(renderer.invalidations).toMatchObject([{ paths: ['/places/x'], tags: ['places'], everything: false }])
    const { epoch, generation } = renderer.invalidations[0] ?? {}
    expect(epoch).not.toBe('')
    expect(renderer.renders[0]?.body).toMatchObject({ epoch, generation })
  })

  it('A1 gives the action its request: address, origin, headers and cookies', async () => {
    let seen: unknown
    const { url } = await start({
      actions: {
        look: () => {
          const { kind, name, url, origin, headers, cookies } = currentContext()
          seen = { kind, name, url, origin, agent: headers['user-agent'], cookies: { ...cookies } }
        },
      },
    })
    const headers = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'example.org',
      cookie: 'a=1',
      'user-agent': 'T',
    }
    await callAction(url, 'look', [], { path: '/?q=%20', headers })
    expect(seen).toEqual({
      kind: 'action',
      name: 'look',
      url: '/?q=%20',
      origin: 'https://example.org',
      agent: 'T',
      cookies: { a: '1' },
    })
  })

  it('W4 responds to not-found with 404', async () => {
    const { url } = await start({ actions: { find: () => notFound() } })
    const response = await callAction(url, 'find', [])
    expect([response.status, await response.json()]).toEqual([404, { kind: 'not-found' }])
  })

  it('A2 responds to an unknown id with 404 and logs it once a minute', async () => {
    const { url, lines } = await start({})
    for (let n = 0; n < 3; n++) {
      const response = await callAction(url, 'gone', [])
      expect([response.status, await response.json()]).toEqual([404, { kind: 'unknown-action' }])
    }
    for (const id of ['__proto__', 'constructor', 'toString']) expect((await callAction(url, id, [])).status).toBe(404)
    expect(lines.filter((line) => line.msg === 'unknown action called')).toHaveLength(1)
  })

  it('E4 X16 responds to an exception with a digest, writes one line with the digest and reports it', async () => {
    const reported: unknown[][] = []
    const { url, lines } = await start({
      onRequestError: (error, { url, method }, context) => void reported.push([String(error), url, method, context]),
      actions: {
        fail: () => {
          throw new Error('secret /srv/path')
        },
      },
    })
    const response = await callAction(url, 'fail', [])
    const body = await response.text()
    const digest = JSON.parse(body).error.digest as string
    expect(response.status).toBe(500)
    expect(body).not.toContain('secret')
    expect(digest).toMatch(/^[0-9a-f]{10}$/)
    const carrying = lines.filter((line) => JSON.stringify(line).includes(digest))
    expect(carrying).toHaveLength(1)
    expect(JSON.stringify(carrying[0])).toContain('secret /srv/path')
    const context = { routePath: 'fail', routeType: 'action' }
    expect(reported).toEqual([['Error: secret /srv/path', '/', 'POST', context]])
  })

  it('E4 responds 500 when a value is not JSON', async () => {
    const { url } = await start({ actions: { big: () => 1n } })
    expect((await callAction(url, 'big', [])).status).toBe(500)
  })

  it('A3 responds with issues by field with 422 and does not call the handler', async () => {
    let calls = 0
    const input = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: async () => ({
          issues: [{ message: 'too short', path: ['a', { key: 'b' }, 0] }, { message: 'bad' }],
        }),
      },
    }
    const { url } = await start({ actions: { save: defined({ input }, () => calls++) } })
    const response = await callAction(url, 'save', [{}])
    expect(response.status).toBe(422)
    expect(await response.json()).toEqual({
      kind: 'invalid',
      issues: [
        { path: 'a.b.0', message: 'too short' },
        { path: '', message: 'bad' },
      ],
    })
    expect(calls).toBe(0)
  })

  it('A3 gives a defined action the validated input and the previous state', async () => {
    let seen: unknown
    const input = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) => ({ value: { checked: value } }),
      },
    }
    const { url } = await start({
      actions: {
        save: defined({ input }, (value, more) => {
          seen = [value, more]
        }),
      },
    })
    await callAction(url, 'save', [{ state: 1 }, { name: 'x' }])
    expect(seen).toEqual([{ checked: { name: 'x' } }, { previous: { state: 1 } }])
  })

  it('W3 takes multipart with the place of the form marked, files included, and deletes the files', async () => {
    let seen: unknown
    const { url, uploads } = await start({
      actions: {
        upload: async (previous, input) => {
          const form = input as Record<string, unknown>
          const photo = form.photo as File
          seen = { previous, ...form, photo: [photo.name, photo.type, photo.size, await photo.text()] }
          return (await uploads()).length
        },
      },
    })
    const body = new FormData()
    body.append('$args', JSON.stringify([{ n: 1 }, { $portico: 'form' }]))
    body.append('name', 'ä "x"')
    body.append('tags', 'a')
    body.append('tags', 'b')
    body.append('$ACTION_ID_x', '')
    body.append('$portico_key', 'k')
    body.append('photo', new File(['pixels'], 'ä.png', { type: 'image/png' }))
    body.append('empty', new File([], ''))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'portico-action': 'upload', 'idempotency-key': createKey() },
      body,
    })
    expect(await response.json()).toMatchObject({ kind: 'value', value: 2 })
    expect(seen).toEqual({
      previous: { n: 1 },
      name: 'ä "x"',
      tags: ['a', 'b'],
      photo: ['ä.png', 'image/png', 6, 'pixels'],
    })
    expect(await uploads()).toEqual([])
  })

  it('W3 puts signed bound arguments before the others and refuses unsigned ones', async () => {
    const { url, boundArgs } = await start({ actions: { echo: (...args) => args } })
    const good = await callAction(url, 'echo', ['c'], { bound: boundArgs.sign('echo', ['a', 'b']) })
    expect(await good.json()).toMatchObject({ value: ['a', 'b', 'c'] })
    expect((await callAction(url, 'echo', ['c'], { bound: boundArgs.sign('other', ['a']) })).status).toBe(400)
  })

  it('W4 omits the value when the action returns nothing', async () => {
    const { url } = await start({ actions: { nothing: () => undefined } })
    const response = await callAction(url, 'nothing', [], { headers: { 'portico-fresh': 'none' } })
    expect(await response.json()).toEqual({ kind: 'value', revalidated: false })
  })

  it('A1 responds 503 with Retry-After when one client fills all places, and other clients continue', async () => {
    let release = () => {}
    const gate = new Promise<void>((done) => {
      release = done
    })
    const { url } = await start({ placesPerClient: 2, actions: { wait: () => gate, quick: () => 1 } })
    const mine = { headers: { cookie: 'session=me' } }
    const running = [callAction(url, 'wait', [], mine), callAction(url, 'wait', [], mine)]
    await new Promise((done) => setTimeout(done, 50))
    const refused = await callAction(url, 'quick', [], mine)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await callAction(url, 'quick', [], { headers: { cookie: 'session=other' } })).status).toBe(200)
    release()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
    expect((await callAction(url, 'quick', [], mine)).status).toBe(200)
  })
})
