// Forms without an action in an app that has actions: the page reads them (compatibility mode, X7).

import { expect, it } from 'vitest'
import { postForm } from './testing/requests.ts'
import { type StartOptions, useActions } from './testing/start-actions.ts'

const start = useActions()
const SITE = { formPages: { '/contact': false, '/callback': true } }

/** A service whose renderer responds with a redirect and headers of the page. */
async function startWithPages(options: StartOptions = {}) {
  const running = await start({ ...SITE, ...options })
  running.renderer.reply = () => ({
    status: 303,
    headers: {
      location: '/thanks',
      'set-cookie': ['a=1', 'b=2'],
      'cache-control': 'private, no-store',
      'x-own': 'yes',
    },
    body: 'see /thanks',
  })
  return running
}

it('X7 passes the bytes of a form without an action to its page, once, and relays the response', async () => {
  const { url, renderer } = await startWithPages()
  const body = new URLSearchParams({ name: 'x y', $other: '1' })
  const response = await postForm(url, body, { path: '/contact?from=mail', headers: { cookie: 'c=3' } })
  expect([response.status, response.headers.get('location'), response.headers.get('x-own')]).toEqual([
    303,
    '/thanks',
    'yes',
  ])
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await response.text()).toBe('see /thanks')
  expect(renderer.renders).toHaveLength(1)
  const [{ body: passed } = { body: undefined }] = renderer.renders
  expect(passed).toMatchObject({ url: '/contact?from=mail', as: 'html', cookies: 'c=3' })
  expect(passed?.headers).toMatchObject({ 'content-length': String(body.toString().length), cookie: 'c=3' })
  expect(Buffer.from(passed?.posted ?? '', 'base64').toString()).toBe(body.toString())
})

it('X7 passes multipart unchanged, deletes its files, and follows a rewrite to the page', async () => {
  const { url, renderer, uploads } = await startWithPages()
  const form = new FormData()
  form.append('photo', new File([Buffer.from([0, 255, 10])], 'a.png', { type: 'image/png' }))
  expect((await postForm(url, form, { path: '/alias/contact' })).status).toBe(303)
  const { posted = '', headers = {} } = renderer.renders[0]?.body ?? {}
  const bytes = Buffer.from(posted, 'base64')
  expect(bytes.length).toBe(Number(headers['content-length']))
  expect(bytes.includes(Buffer.from([13, 10, 13, 10, 0, 255, 10, 13, 10]))).toBe(true)
  expect(await uploads()).toEqual([])
})

it('A1 calls the action of a form that names one', async () => {
  const calls: unknown[] = []
  const { url, renderer } = await startWithPages({ actions: { save: (input) => void calls.push(input) } })
  const fields: [string, string][] = [
    ['$ACTION_ID_save', ''],
    ['name', 'x'],
  ]
  expect((await postForm(url, fields, { path: '/contact' })).headers.get('location')).toBe('/contact')
  expect([calls, renderer.renders]).toEqual([[{ name: 'x' }], []])
})

it('A7 refuses a passed form above the default limit, also where an action takes more', async () => {
  const action = Object.assign(() => 1, { [Symbol.for('portico.action-options')]: { bodyLimitBytes: 3_000_000 } })
  const { url, renderer } = await startWithPages({ actions: { upload: action } })
  const response = await postForm(url, [['text', 'x'.repeat(1_100_000)]], { path: '/contact' })
  expect([response.status, renderer.renders.length]).toEqual([413, 0])
})

it('A4 refuses forms of other sites; a page with crossOrigin takes them, and their actions are not called', async () => {
  const calls: unknown[] = []
  const { url, renderer } = await startWithPages({ actions: { save: () => void calls.push(1) } })
  const foreign = { 'sec-fetch-site': 'cross-site' }
  const post = async (path: string, fields: [string, string][], more: Record<string, string> = {}) =>
    (await postForm(url, fields, { path, headers: { ...foreign, ...more } })).status
  expect(await post('/contact', [['a', '1']])).toBe(403)
  expect(await post('/callback', [['$ACTION_ID_save', '']])).toBe(403)
  expect(await post('/callback', [['$ACTION_ID_gone', '']])).toBe(403)
  expect(await post('/callback', [['a', '1']], { 'portico-action': 'save' })).toBe(403)
  expect(renderer.renders).toEqual([])
  expect(await post('/callback', [['a', '1']])).toBe(303)
  expect([calls, renderer.renders.length]).toEqual([[], 1])
})

it('E2 responds 502 to a form whose page did not respond', async () => {
  const { url, renderer, lines } = await startWithPages()
  await renderer.close()
  const response = await postForm(url, [['a', '1']], { path: '/contact' })
  expect(response.status).toBe(502)
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'error', msg: 'no response of the renderer to a form' }),
  )
})

it('E6 a page that reads no forms refuses one without an action', async () => {
  const { url } = await startWithPages()
  const response = await postForm(url, [['a', '1']], { path: '/places/x' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
