// Where redirect() of an action leads (W4, R6).

import { redirect } from '@portico/shared/wire/errors/control-flow.ts'
import { expect, it } from 'vitest'
import { callAction } from './testing/requests.ts'
import { useActions } from './testing/start-actions.ts'

const start = useActions()

it.each([
  ['/next', '/base/next'],
  ['/', '/base'],
  ['/?q=1#h', '/base?q=1#h'],
  ['/ä b', '/base/%C3%A4%20b'],
  ['//evil.example/x', '/base/evil.example/x'],
  ['/\\evil.example', '/base/evil.example'],
  ['/.//evil.example', '/base/evil.example'],
  ['/%2e//evil.example', '/base/evil.example'],
  ['https://other.example/y', 'https://other.example/y'],
  ['?tab=2', '?tab=2'],
])('W4 responds to a redirect to %s as %s', async (location, expected) => {
  const { url } = await start({ basePath: '/base', actions: { go: () => redirect(location, 301) } })
  const response = await callAction(url, 'go', [], { path: '/base' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ kind: 'redirect', location: expected, status: 303 })
})

it.each([
  ['/next', '/base/next/'],
  ['/next/?q=1#h', '/base/next/?q=1#h'],
  ['/', '/base/'],
  ['/api/x', '/base/api/x'],
  ['/terms.pdf', '/base/terms.pdf'],
  ['/licence', '/base/licence'],
  ['/%6Cicence?a=1', '/base/%6Cicence?a=1'],
  ['//evil.example', '/base/evil.example'],
  ['https://other.example/y', 'https://other.example/y'],
])('R6 W4 with trailingSlash redirects once, to %s as %s', async (location, expected) => {
  const { url } = await start({ basePath: '/base', trailingSlash: true, actions: { go: () => redirect(location) } })
  const response = await callAction(url, 'go', [], { path: '/base/' })
  expect(await response.json()).toEqual({ kind: 'redirect', location: expected, status: 303 })
})

it('A1 refuses a redirect to a script', async () => {
  const { url } = await start({ actions: { go: () => redirect('javascript:alert(1)') } })
  expect((await callAction(url, 'go', [])).status).toBe(500)
})
