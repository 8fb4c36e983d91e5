// Draft mode in API handlers (X13), through the service's port.

import { DRAFT_COOKIE } from '@portico/shared/wire/cookies/draft-mode.ts'
import { PREVIEW_DATA_COOKIE } from '@portico/shared/wire/testing.ts'
import { parseSetCookie } from 'cookie'
import { expect, it } from 'vitest'
import { currentContext, useActions } from '../testing/start-actions.ts'
import { apiModule, type Handler } from '../testing/start-api.ts'

const startActions = useActions()
const serve = (handler: Handler) => startActions({ api: { '/api/x': apiModule(handler) } })

const setCookies = (response: Response) => response.headers.getSetCookie().map((line) => parseSetCookie(line))
const cookieOf = (response: Response) => ({
  cookie: setCookies(response)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; '),
})

const read: Handler = ({ draftMode, preview, previewData }, response) =>
  response.json({ draftMode, preview, previewData })

it('X13 a handler switches draft mode on and reads it, with its data', async () => {
  const { url } = await serve((request, response) => {
    const { on } = request.query
    if (on === 'draft') return response.setDraftMode({ enable: true }).end('on')
    if (on === 'preview') return response.setPreviewData({ post: 7 }).setHeader('cache-control', 'public').end('on')
    return read(request, response)
  })
  const get = (on: string, headers = {}) => fetch(`${url}/api/x?on=${on}`, { headers })
  const off = { previewData: false }
  expect(await (await get('')).json()).toEqual(off)
  const draft = await get('draft')
  expect(setCookies(draft)).toEqual([
    { name: DRAFT_COOKIE, value: expect.stringMatching(/^d1\.[\w-]+$/), path: '/', httpOnly: true, sameSite: 'lax' },
  ])
  const on = { draftMode: true, preview: true }
  expect(await (await get('', cookieOf(draft))).json()).toEqual({ ...on, previewData: {} })
  const preview = await get('preview')
  expect(setCookies(preview).map(({ name }) => name)).toEqual([DRAFT_COOKIE, PREVIEW_DATA_COOKIE])
  // SECURITY: no cache keeps the cookies.
  expect(preview.headers.get('cache-control')).toBe('private, no-store')
  expect(preview.headers.getSetCookie().join()).not.toContain('post')
  expect(await (await get('', cookieOf(preview))).json()).toEqual({ ...on, previewData: { post: 7 } })
  const forged = { cookie: `${DRAFT_COOKIE}=x; ${PREVIEW_DATA_COOKIE}=${btoa('{"post":7}')}` }
  expect(await (await get('', forged)).json()).toEqual(off)
  const overHttps = { ...cookieOf(preview), 'x-forwarded-proto': 'https' }
  expect(await (await get('', overHttps)).json()).toEqual(off)
})

it('X13 the cookies have the attributes of Next.js over https, a life and a path, and end for the path', async () => {
  const { url } = await serve(({ query }, response) => {
    if (query.on === 'set') response.setPreviewData('text', { maxAge: 60, path: '/blog' })
    else if (query.on === 'off') response.setDraftMode({ enable: false })
    else response.clearPreviewData({ path: '/blog' }).clearPreviewData()
    response.end()
  })
  const lines = async (on: string) =>
    (await fetch(`${url}/api/x?on=${on}`, { headers: { 'x-forwarded-proto': 'https' } })).headers.getSetCookie()
  const own = (path: string) => new RegExp(`^__\\w+=[\\w.-]*;.*Path=${path};.*HttpOnly; Secure; SameSite=None$`)
  const set = await lines('set')
  expect(set).toEqual(Array(2).fill(expect.stringMatching(own('/blog'))))
  expect(set.every((line) => line.includes('Max-Age=60;'))).toBe(true)
  const cleared = await lines('')
  expect(cleared).toEqual(Array(2).fill(expect.stringMatching(own('/blog'))))
  const off = await lines('off')
  expect(off).toEqual([expect.stringMatching(own('/'))])
  for (const line of [...cleared, ...off]) {
    expect(line).toMatch(/^__\w+=;/)
    expect(line).toContain('Expires=Thu, 01 Jan 1970 00:00:00 GMT')
    expect(line).not.toContain('Max-Age')
  }
})

it('X13 data of more than 2 KB is refused by name, and so is what is no JSON', async () => {
  const { url, lines } = await serve(({ query }, response) => {
    try {
      response.setPreviewData(query.big ? 'x'.repeat(2000) : (undefined as never))
    } catch (error) {
      response.end(String(error))
    }
  })
  const big = await fetch(`${url}/api/x?big=1`)
  expect(await big.text()).toContain('the limit is 2048')
  expect(big.headers.getSetCookie()).toEqual([])
  expect(await (await fetch(`${url}/api/x`)).text()).toContain('undefined is no JSON data')
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
})

it('X13 the context of the runtime has the draft mode of the request', async () => {
  const { url } = await serve((_request, response) => {
    const before = currentContext().draft
    response.setDraftMode().json(before)
  })
  const first = await fetch(`${url}/api/x`)
  expect(await first.json()).toEqual({ kind: 'off' })
  expect(await (await fetch(`${url}/api/x`, { headers: cookieOf(first) })).json()).toEqual({ kind: 'on', data: {} })
})
