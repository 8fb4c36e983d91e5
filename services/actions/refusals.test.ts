// Actions and API handlers that refuse the client: unauthorized() and forbidden() (W4).

import { forbidden, unauthorized } from '@portico/shared/wire/errors/control-flow.ts'
import { describe, expect, it } from 'vitest'
import { callAction, createKey, postForm } from './testing/requests.ts'
import { currentContext, useActions } from './testing/start-actions.ts'
import { apiModule } from './testing/start-api.ts'

const start = useActions()
const REFUSALS = [
  ['unauthorized', 401, unauthorized, 'unauthorized'],
  ['forbidden', 403, forbidden, 'access-denied'],
] as const
const CLIENT = `portico-visitor=${'v'.repeat(22)}.1`

describe.each(REFUSALS)('%s()', (_name, status, refuse, code) => {
  it(`W4 of a scripted action responds ${status} with kind "refused" and the cookies of the action`, async () => {
    const { url, renderer, lines } = await start({
      actions: {
        save: () => {
          currentContext().setCookies.push('session=; Max-Age=0')
          return refuse()
        },
      },
    })
    const response = await callAction(url, 'save', [])
    expect([response.status, await response.json()]).toEqual([status, { kind: 'refused' }])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.getSetCookie()).toContain('session=; Max-Age=0')
    expect(renderer.renders).toEqual([])
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it(`W4 of a posted form responds with the site's error screen and status ${status}`, async () => {
    const { url, renderer } = await start({ actions: { save: () => refuse() } })
    const response = await postForm(url, [['$ACTION_ID_save', '']], { path: '/places/x' })
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'private, no-store'])
    expect(renderer.renders[0]?.body).toMatchObject({ url: '/places/x', as: 'html', status })
  })

  it(`E2 of a posted form without a renderer responds with the default screen and status ${status}`, async () => {
    const { url, renderer } = await start({ actions: { save: () => refuse() } })
    await renderer.close()
    const response = await postForm(url, [['$ACTION_ID_save', '']])
    const text = await response.text()
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'private, no-store'])
    expect(text).toContain(`<h1>${status}</h1><p>${status === 401 ? 'Unauthorized' : 'Forbidden'}</p>`)
  })

  it(`E2 of an API handler responds ${status} with the JSON of the error and the handler's challenge`, async () => {
    const { url } = await start({
      api: {
        '/api/x': apiModule((_request, response) => {
          response.setHeader('WWW-Authenticate', 'Bearer')
          refuse()
        }),
      },
    })
    const response = await fetch(`${url}/api/x`)
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: { status, title: status === 401 ? 'Unauthorized' : 'Forbidden', code } },
    ])
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })
})

describe('a refused submission', () => {
  it('A5 is not recorded: the same submission runs when the client has logged in', async () => {
    let isLoggedIn = false
    const { url } = await start({ actions: { save: () => (isLoggedIn ? 'saved' : unauthorized()) } })
    const key = createKey()
    expect((await callAction(url, 'save', ['x'], { key })).status).toBe(401)
    isLoggedIn = true
    expect(await (await callAction(url, 'save', ['x'], { key })).json()).toMatchObject({ value: 'saved' })
  })

  it('A5 without a key does not change the counter of the client cookie', async () => {
    const { url } = await start({ actions: { save: () => forbidden() } })
    const response = await postForm(url, [['$ACTION_ID_save', '']], { headers: { cookie: CLIENT } })
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
  })
})

it('A6 a page that refuses the client after an action is part of the response', async () => {
  const page = { error: { status: 401, title: 'An unexpected error has occurred', code: 'unauthorized' } }
  const { url, renderer } = await start({ actions: { leave: () => 'bye' } })
  renderer.reply = () => ({
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(page),
  })
  expect(await (await callAction(url, 'leave', [])).json()).toEqual({
    kind: 'value',
    value: 'bye',
    page,
    revalidated: false,
  })
})
