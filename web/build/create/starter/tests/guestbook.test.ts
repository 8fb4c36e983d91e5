// The guestbook: its action, its API handler and its page.

import { callAction, renderPage, requestApi } from 'portico/testing'
import { expect, test } from 'vitest'
import { signGuestbook } from '../actions/guestbook.ts'

test('an entry needs a name and a message', async () => {
  const result = await callAction(signGuestbook, { name: ' ', message: '' })
  expect(result).toMatchObject({
    kind: 'invalid',
    issues: [
      { path: 'name', message: 'Please write your name.' },
      { path: 'message', message: 'Please write a line or two.' },
    ],
  })
})

test('the API has what was signed', async () => {
  const form = new FormData()
  form.set('name', 'Ida')
  form.set('message', 'Clear light all day.')
  expect(await callAction(signGuestbook, form)).toMatchObject({ kind: 'value', value: { signedBy: 'Ida' } })
  const response = await requestApi('/api/guestbook')
  expect(await response.json()).toMatchObject({ entries: [{ name: 'Ida', message: 'Clear light all day.' }] })
})

test('the page shows the entries of the API, and a form', async () => {
  const entries = [{ id: 1, name: 'Ada', message: 'A short visit.', signedAt: '2026-05-01T09:30:00Z' }]
  const { status, html } = await renderPage('/guestbook', { site: { '/api/guestbook': { entries } } })
  expect(status).toBe(200)
  expect(html).toContain('A short visit.')
  expect(html).toContain('1 May 2026')
  expect(html).toMatch(/<form [^>]*method="POST"/)
})
