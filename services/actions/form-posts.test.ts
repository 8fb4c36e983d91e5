// Forms posted without JavaScript, through the service's port (A1, W3, W4).

import { notFound, redirect } from '@portico/shared/wire/errors/control-flow.ts'
import { describe, expect, it } from 'vitest'
import { postForm } from './testing/requests.ts'
import { currentContext, defined, type TestActions, useActions } from './testing/start-actions.ts'

const start = useActions()

/** The fields that React and the runtime render for `useActionState`: all bound arguments signed, the state last. */
function stateFields(id: string, bound: unknown[], { boundArgs }: TestActions): [string, string][] {
  return [
    ['$ACTION_REF_3', ''],
    ['$ACTION_3:0', JSON.stringify({ id, bound: boundArgs.sign(id, bound) })],
    ['$ACTION_KEY', 'k0123'],
  ]
}

const refuseAll = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: () => ({ issues: [{ message: 'is <too> short', path: ['name'] }] }),
  },
}

describe('a form without JavaScript', () => {
  it('A1 calls the unbound action with the fields and responds 303 to the page', async () => {
    let seen: unknown
    const { url } = await start({
      actions: {
        save: (input) => {
          seen = input
        },
      },
    })
    const fields: [string, string][] = [
      ['$ACTION_ID_save', ''],
      ['name', 'x y'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['$portico_key', 'k'],
    ]
    const response = await postForm(url, fields, { path: '/places/x?tab=1' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/places/x?tab=1'])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(seen).toEqual({ name: 'x y', tags: ['a', 'b'] })
  })

  it('A1 accepts the same form as multipart, as React renders it', async () => {
    let seen: unknown
    const { url } = await start({
      actions: {
        save: (input) => {
          seen = input
        },
      },
    })
    const form = new FormData()
    form.append('$ACTION_ID_save', '')
    form.append('name', 'ä')
    expect((await postForm(url, form)).status).toBe(303)
    expect(seen).toEqual({ name: 'ä' })
  })

  it('A1 the pressed button wins over its form', async () => {
    const calls: string[] = []
    const { url } = await start({ actions: { save: () => calls.push('save'), remove: () => calls.push('remove') } })
    await postForm(url, [
      ['$ACTION_ID_save', ''],
      ['name', 'x'],
      ['$ACTION_ID_remove', ''],
    ])
    expect(calls).toEqual(['remove'])
  })

  it('A1 calls the bound action with its bound arguments before the fields', async () => {
    let seen: unknown
    const { url, boundArgs } = await start({
      actions: {
        save: (...args) => {
          seen = args
        },
      },
    })
    const response = await postForm(url, [
      ['$ACTION_REF_1', ''],
      ['$ACTION_1:0', JSON.stringify({ id: 'save', bound: boundArgs.sign('save', ['slug', 7]) })],
      ['name', 'x'],
    ])
    expect(response.status).toBe(303)
    expect(seen).toEqual(['slug', 7, { name: 'x' }])
  })

  it('A6 responds with the page with the form state of useActionState', async () => {
    const running = await start({
      actions: {
        save: (slug, previous, input) => {
          currentContext().setCookies.push('seen=1')
          return { slug, previous, input }
        },
      },
    })
    const fields = [...stateFields('save', ['slug', { n: 1 }], running), ['name', 'x'] as [string, string]]
    const response = await postForm(running.url, fields, { path: '/places/x?q=1', headers: { cookie: 'a=1' } })
    expect(response.status).toBe(200)
    const value = { slug: 'slug', previous: { n: 1 }, input: { name: 'x' } }
    expect(running.renderer.renders[0]?.body).toMatchObject({
      url: '/places/x?q=1',
      as: 'html',
      status: 200,
      formState: [value, 'k0123', 'save', 1],
      cookies: 'a=1; seen=1',
    })
    expect(await response.text()).toContain('k0123')
    expect(response.headers.get('content-security-policy')).toBe("script-src 'nonce-x'")
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.getSetCookie()).toContain('seen=1')
  })

  it('A3 responds 422 with the page, the issues and the typed text, without passwords', async () => {
    let calls = 0
    const running = await start({ actions: { save: defined({ input: refuseAll }, () => calls++) } })
    const fields: [string, string][] = [
      ...stateFields('save', [null], running),
      ['name', 'x'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['new-password', 'geheim'],
    ]
    const response = await postForm(running.url, fields)
    expect(response.status).toBe(422)
    const { status, formState } = (running.renderer.renders[0]?.body ?? {}) as Record<string, unknown>
    expect(status).toBe(422)
    // toMatchObject would accept further fields, such as a password.
    expect(formState).toEqual([
      { issues: [{ path: 'name', message: 'is <too> short' }], fields: { name: 'x', tags: ['a', 'b'] } },
      'k0123',
      'save',
      0,
    ])
    expect(calls).toBe(0)
  })

  it.each(['without useActionState', 'while the renderer is unavailable'])(
    'A3 lists the issues in a document %s',
    async (when) => {
      const running = await start({ actions: { save: defined({ input: refuseAll }, () => 1) } })
      const withState = when !== 'without useActionState'
      if (withState) await running.renderer.close()
      const fields = withState ? stateFields('save', [null], running) : [['$ACTION_ID_save', ''] as [string, string]]
      const response = await postForm(running.url, fields)
      expect(response.status).toBe(422)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await response.text()).toContain('<b>name</b>: is &#60;too&#62; short')
    },
  )

  it('A6 responds 303 when the action ran and the renderer is unavailable', async () => {
    const running = await start({ actions: { save: () => 1 } })
    await running.renderer.close()
    const response = await postForm(running.url, stateFields('save', [null], running), { path: '/places/x' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/places/x'])
  })

  it('W4 responds to a redirect to a query of letters that a header cannot hold', async () => {
    const { url } = await start({ actions: { go: () => redirect('?q=東京#é') } })
    const response = await postForm(url, [['$ACTION_ID_go', '']], { path: '/search' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('?q=%E6%9D%B1%E4%BA%AC#%C3%A9')
  })

  it('W4 responds to a redirect as 303 with the basePath in front', async () => {
    const { url } = await start({ basePath: '/base', actions: { go: () => redirect('/thanks', 308) } })
    const response = await postForm(url, [['$ACTION_ID_go', '']], { path: '/base/places/x' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/base/thanks'])
  })

  it('W4 responds to not-found with the not-found screen of the site', async () => {
    const { url, renderer } = await start({ actions: { find: () => notFound() } })
    const response = await postForm(url, [['$ACTION_ID_find', '']])
    expect(response.status).toBe(404)
    expect(renderer.renders[0]?.body).toMatchObject({ url: '/404', as: 'html', status: 404 })
  })

  it('E4 responds to an exception with the 500 screen and its digest', async () => {
    const { url, lines } = await start({
      actions: {
        fail: () => {
          throw new Error('secret')
        },
      },
    })
    const response = await postForm(url, [['$ACTION_ID_fail', '']])
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).toContain('a server-side exception has occurred')
    const digest = /Digest: ([0-9a-f]{10})/.exec(text)?.[1]
    expect(lines.filter((line) => line.digest === digest)).toHaveLength(1)
  })

  it.each([
    ['an unsigned reference', '{"id":"save","bound":"W10.AAAA"}'],
    ['no JSON', '{'],
    ['another shape', '{"id":1}'],
    ['null', 'null'],
  ])('W3 responds 400 to a bound form with %s', async (_name, reference) => {
    const { url } = await start({ actions: { save: () => 1 } })
    const response = await postForm(url, [
      ['$ACTION_REF_1', ''],
      ['$ACTION_1:0', reference],
    ])
    expect(response.status).toBe(400)
  })

  it('W3 responds 400 to a bound form without its reference', async () => {
    const { url } = await start({ actions: { save: () => 1 } })
    expect((await postForm(url, [['$ACTION_REF_1', '']])).status).toBe(400)
  })

  it('A2 responds to a form of an unknown action with 404', async () => {
    const { url } = await start({})
    expect((await postForm(url, [['$ACTION_ID_gone', '']])).status).toBe(404)
  })

  it('E6 responds to a post without an action id with 405 and Allow', async () => {
    const { url } = await start({})
    const form = await postForm(url, [['name', 'x']])
    expect([form.status, form.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const json = await fetch(url, { method: 'POST', headers, body: '{}' })
    expect([json.status, json.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it.each([
    ['/%zz', 400],
    ['/%00', 400],
    ['//a', 400],
    ['/a/', 400],
  ])('R6 responds to a post to %s with %i', async (path, status) => {
    const { url } = await start({ actions: { save: () => 1 } })
    expect((await postForm(url, [['$ACTION_ID_save', '']], { path })).status).toBe(status)
  })
})
