// A request for each code of the error catalogue that the inner port of every service sends.

import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import { afterEach, expect, test } from 'vitest'
import { ERROR_CATALOGUE, type ErrorCode } from '../../wire/errors/error-catalogue.ts'
import type { Log } from '../observe/log.ts'
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
