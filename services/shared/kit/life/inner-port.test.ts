// A request for each code of the error catalogue that the inner port of every service sends.

import { afterEach, expect, test } from 'vitest'
import { ERROR_CATALOGUE, type ErrorCode } from '../../wire/errors/error-catalogue.ts'
import type { Log } from '../observe/log.ts'
import { createFixedKeyring } from '../secrets/keyring.ts'
import { type Service, startService } from './serve.ts'

const TOKEN = 't'.repeat(32)
let service: Service | undefined
afterEach(() => service?.stop())

const authorization = `Bearer ${TOKEN}`
const CASES: [code: ErrorCode, how: string, path: string, init?: RequestInit][] = [
  ['not-found', 'an unknown path', '/internal/none'],
  ['not-found', 'another method', '/internal/echo'],
  ['forbidden', 'an Origin', '/internal/echo', { method: 'POST', headers: { authorization, origin: 'http://a.test' } }],
  ['token-required', 'a missing token', '/internal/echo', { method: 'POST' }],
  [
    'body-too-large',
    'a body above the limit',
    '/internal/echo',
    { method: 'POST', headers: { authorization }, body: '"0123456789"' },
  ],
  ['bad-request', 'malformed JSON', '/internal/echo', { method: 'POST', headers: { authorization }, body: '{' }],
  ['internal', 'an endpoint that throws', '/internal/fail', { method: 'POST', headers: { authorization } }],
]

test.each(CASES)('E2 O9 sends %s for %s', async (code, _how, path, init) => {
  // The methods of the log that a service's life uses.
  const log = { info() {}, error() {} } as unknown as Log
  service = await startService({
    log,
    listeners: [],
    inner: {
      host: '127.0.0.1',
      port: 0,
      token: createFixedKeyring([TOKEN]),
      routes: [
        { method: 'POST', path: '/internal/echo', bodyLimitBytes: 10, handler: async () => {} },
        { method: 'POST', path: '/internal/fail', handler: () => Promise.reject(new Error('secret')) },
      ],
    },
    drain: { delayMs: 0, deadlineMs: 1000 },
  })
  const response = await fetch(`http://127.0.0.1:${service.ports.inner}${path}`, init)
  const { status } = ERROR_CATALOGUE[code]
  expect([response.status, await response.json()]).toMatchObject([status, { error: { status, code } }])
})

test('O10 accepts every token of the keyring, and reports another one', async () => {
  const noted: string[] = []
  let tokens: string[] = []
  service = await startService({
    // The methods of the log that a service's life uses.
    log: { info() {}, error() {} } as unknown as Log,
    listeners: [],
    inner: {
      ...{ host: '127.0.0.1', port: 0 },
      token: { accepted: () => tokens, noteUnknown: (what) => void noted.push(what) },
      routes: [{ method: 'POST', path: '/internal/echo', handler: async (_body, _request, to) => void to.end() }],
    },
    drain: { delayMs: 0, deadlineMs: 1000 },
  })
  const { inner } = service.ports
  const statusOf = (authorization?: string) =>
    fetch(`http://127.0.0.1:${inner}/internal/echo`, {
      method: 'POST',
      headers: authorization === undefined ? {} : { authorization },
    }).then(({ status }) => status)
  expect(await statusOf('Bearer a')).toBe(401)
  expect(noted).toEqual([])
  tokens = ['b', 'a']
  expect([await statusOf('Bearer a'), await statusOf('Bearer b'), await statusOf()]).toEqual([200, 200, 401])
  expect(noted).toEqual([])
  expect([await statusOf('Bearer c'), await statusOf('Bearer ')]).toEqual([401, 401])
  expect(noted).toEqual(['token', 'token'])
})
