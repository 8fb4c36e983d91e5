// A request for each code of the error catalogue that the actions service sends: status, internal header, log line and
// JSON form.

import { ModuleFault } from '@portico/shared/kit/http/errors.ts'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { forbidden, notFound, unauthorized } from '@portico/shared/wire/errors/control-flow.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import type { BeginOptions, BeginResult, SubmissionStore } from './store/submission-store.ts'
import { callAction, postForm } from './testing/requests.ts'
import { defined, SCREEN_POLICY, startActions, type TestActions } from './testing/start-actions.ts'
import { apiModule } from './testing/start-api.ts'
import { createTestStore } from './testing/test-store.ts'

let service: TestActions | undefined
afterEach(() => service?.stop())

/** What the store responds when a submission begins. */
let begin: ((options: BeginOptions) => BeginResult) | undefined

async function start(): Promise<TestActions> {
  const kept = createTestStore(systemClock)
  const store: SubmissionStore = {
    ...kept,
    begin: async (id, options) => begin?.(options) ?? kept.begin(id, options),
    // The service abandons a record some time after its response, when the test has closed the store.
    abandon: async () => {},
  }
  const refusing = {
    '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'too short' }] }) },
  }
  service = await startActions({
    store,
    placesPerClient: 1,
    actions: {
      add: () => 1,
      fail: () => {
        throw new Error('secret')
      },
      gone: () => notFound(),
      members: () => unauthorized(),
      editors: () => forbidden(),
      late: defined({ timeoutMs: 20 }, () => new Promise(() => {})),
      small: defined({ bodyLimitBytes: 10 }, () => 1),
      // The service reads `~standard` alone.
      strict: defined({ input: refusing as never }, () => 1),
    },
    api: {
      '/api/fail': apiModule(() => {
        throw new Error('secret')
      }),
      '/api/late': apiModule(() => new Promise(() => {}), { timeoutMs: 20 }),
    },
  })
  return service
}

type Case = [code: ErrorCode, how: string, request: (service: TestActions) => Promise<Response>]
const call =
  (id: string, headers?: Record<string, string>) =>
  ({ url }: TestActions) =>
    callAction(url, id, [], headers && { headers })
const form =
  (id: string) =>
  ({ url }: TestActions) =>
    postForm(
      url,
      [
        [`$ACTION_ID_${id}`, ''],
        ['text', 'x'],
      ],
      CLIENT,
    )
/** A known client: without a cookie and a key there is no record. */
const CLIENT = { headers: { cookie: 'portico-visitor=kkkkkkkkkkkkkkkkkkkkkk' } }
const found =
  (result: (options: BeginOptions) => BeginResult, request: Case[2]): Case[2] =>
  (running) => {
    begin = result
    return request(running).finally(() => (begin = undefined))
  }
const running = ({ fingerprint }: BeginOptions): BeginResult => ({ kind: 'running', fingerprint })
const lost = ({ fingerprint }: BeginOptions): BeginResult => ({ kind: 'lost', fingerprint })
const other = (): BeginResult => ({ kind: 'finished', fingerprint: 'other', kept: { status: 200 } })
const away = (): BeginResult => {
  throw new Error('the store is away')
}

const CASES: Case[] = [
  [
    'bad-request',
    'malformed JSON',
    ({ url }) => callAction(url, 'add', [], { headers: { 'idempotency-key': 'short' } }),
  ],
  ['malformed-path', 'a malformed percent sequence', ({ url }) => callAction(url, 'add', [], { path: '/places/%80' })],
  ['malformed-path', 'the same below /api', ({ url }) => fetch(`${url}/api/%80`)],
  ['non-canonical-path', 'a slash at the end', ({ url }) => callAction(url, 'add', [], { path: '/places/' })],
  ['forbidden', 'another site', call('add', { 'sec-fetch-site': 'cross-site' })],
  ['not-found', 'an unknown API handler', ({ url }) => fetch(`${url}/api/none`)],
  ['not-found', 'notFound() of an action', call('gone')],
  ['not-found', 'notFound() of an action, as a page', form('gone')],
  ['unauthorized', 'unauthorized() of an action', call('members')],
  ['unauthorized', 'unauthorized() of an action, as a page', form('members')],
  ['access-denied', 'forbidden() of an action', call('editors')],
  ['access-denied', 'forbidden() of an action, as a page', form('editors')],
  ['unknown-action', 'an id of another build', call('none')],
  ['unknown-action', 'a form of another build', form('none')],
  ['method-not-allowed', 'a POST without an action', ({ url }) => postForm(url, [['text', 'x']])],
  ['body-too-large', 'a body above the limit of its action', call('small')],
  ['unsupported-media-type', 'a compressed body', call('add', { 'content-encoding': 'gzip' })],
  ['invalid-input', 'input that the schema refuses', call('strict')],
  ['invalid-input', 'a form that the schema refuses', form('strict')],
  ['submission-changed', 'a key that was used with another body', found(other, call('add'))],
  ['submission-changed', 'a form that was sent with another body', found(other, form('add'))],
  ['outcome-unknown', 'an owner that died', found(lost, call('add'))],
  ['outcome-unknown', 'an owner that died, as a screen', found(lost, form('add'))],
  ['internal', 'an action that throws', call('fail')],
  ['internal', 'an API handler that throws', ({ url }) => fetch(`${url}/api/fail`)],
  ['state-unavailable', 'a state store that is away', found(away, call('add'))],
  ['still-running', 'a second arrival that has waited', found(running, call('late'))],
  ['handler-late', 'an action at its time limit', call('late')],
  ['handler-late', 'a form at its time limit', form('late')],
  ['handler-late', 'an API handler at its time limit', ({ url }) => fetch(`${url}/api/late`)],
]

test.each(CASES)('E2 sends %s for %s', async (code, _how, request) => {
  const running = await start()
  const response = await request(running)
  const text = await response.text()
  const { status } = ERROR_CATALOGUE[code]
  expect([response.status, response.headers.get(INTERNAL_HEADERS.code)]).toEqual([status, code])
  await expect.poll(() => running.lines.find(({ msg }) => msg === 'request')).toMatchObject({ status, code })
  if (text.startsWith('{"error"')) expect(JSON.parse(text)).toMatchObject({ error: { status, code } })
  else expect(text).not.toContain(code === 'unknown-action' || code === 'not-found' ? '"code"' : `${code}"`)
  expect(text).not.toContain('secret')
  // G6: default screens have the policy of the build and no other.
  if (text.startsWith('<!DOCTYPE html><html'))
    expect([SCREEN_POLICY.name, 'content-security-policy'].map((name) => response.headers.get(name))).toEqual([
      SCREEN_POLICY.value,
      null,
    ])
})

test('E2 sends overloaded when all places of a client are taken', async () => {
  const running = await start()
  const [one, two] = await Promise.all([form('late')(running), form('late')(running)])
  expect([one, two].map(({ headers }) => headers.get(INTERNAL_HEADERS.code)).sort()).toEqual([
    'handler-late',
    'overloaded',
  ])
})

test('O4 a handler or action that cannot be loaded is 500 with the digest of its line and without its cause', async () => {
  const fault = new ModuleFault('actions/save.ts', new Error('postgres://user:secret@db'))
  service = await startActions({
    api: { '/api/broken': { default: () => {} } },
    broken: new Map([
      ['/api/broken', fault],
      ['gone', fault],
    ]),
  })
  for (const response of [await fetch(`${service.url}/api/broken`), await callAction(service.url, 'gone', [])]) {
    expect([response.status, response.headers.get(INTERNAL_HEADERS.digest)]).toEqual([500, fault.digest])
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ error: { status: 500, digest: fault.digest } })
    expect(text).not.toContain('postgres')
  }
  expect((await callAction(service.url, 'none', [])).status).toBe(404)
  expect(service.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('V2 while modules cannot be loaded, a missing handler or action is an internal error that names the fault', async () => {
  service = await startActions({ fault: new Error('actions/save.ts:1:1: cannot find "./gone"') })
  for (const response of [await fetch(`${service.url}/api/none`), await callAction(service.url, 'none', [])]) {
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('cannot be loaded: actions/save.ts:1:1: cannot find')
  }
})
