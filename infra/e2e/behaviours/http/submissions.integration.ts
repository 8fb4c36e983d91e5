// Forms through the gateway's public port: no client ever gets the response to another client (A5).

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SubmissionStack, startSubmissionStack } from './submission-stack.ts'

let stack: SubmissionStack
beforeAll(async () => {
  stack = await startSubmissionStack()
})
afterAll(() => stack?.stop())

async function enter(headers: Record<string, string>) {
  const response = await fetch(stack.url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'user-agent': 'one browser of many', ...headers },
    body: new URLSearchParams([
      ['$ACTION_ID_enter', ''],
      ['name', 'x'],
    ]),
  })
  const cookies = response.headers.getSetCookie().map((text) => text.split(';')[0] ?? '')
  const named = (name: string) => cookies.find((cookie) => cookie.startsWith(`${name}=`))
  return { status: response.status, session: named('session'), client: named('portico-visitor') }
}

test('A5 clients behind one address that simultaneously send equal forms never share a session', async () => {
  const found = await Promise.all(Array.from({ length: 10 }, () => enter({ 'x-forwarded-for': '203.0.113.7' })))
  expect(found.map(({ status }) => status)).toEqual(found.map(() => 303))
  expect(new Set(found.map(({ session }) => session)).size).toBe(10)
  expect(new Set(found.map(({ client }) => client)).size).toBe(10)
})

test('A5 a double click of a client with the cookie is one run, and the next click another', async () => {
  const { client = '' } = await enter({})
  const twice = await Promise.all([1, 2].map(() => enter({ cookie: client })))
  expect(twice[0]?.session).toMatch(/^session=secret-/)
  expect(twice[1]).toEqual({ ...twice[0], client: expect.stringContaining(`${client}.`) })
  const third = await enter({ cookie: twice[0]?.client ?? '' })
  expect(third.session).not.toBe(twice[0]?.session)
})

test('O9 the files of DATA_DIR are for their owner alone', () => {
  const modeOf = (name: string) => (statSync(join(stack.dataDir, name)).mode & 0o777).toString(8)
  const names = ['.', 'uploads', 'submissions.sqlite', 'submissions.sqlite-wal', 'submissions.sqlite-shm']
  expect(names.map(modeOf)).toEqual(['700', '700', '600', '600', '600'])
})
