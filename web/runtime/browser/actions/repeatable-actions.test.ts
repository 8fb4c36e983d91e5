// Calls of actions with `repeat: 'allow'`.

import { expect, test, vi } from 'vitest'
import { formOf, recordActionCalls, value } from '../testing/action-calls.ts'
import { submitAction } from './submit-action.ts'

const { sent, done, deps } = recordActionCalls()

test('A5 with repeat: allow each click is a submission; a resend of one click has the key of the click', async () => {
  vi.useFakeTimers()
  const calls = [1, 2].map(() => submitAction('add', [formOf([['name', 'x']])], { ...deps, mayRepeat: true }))
  expect(sent).toHaveLength(2)
  sent[0]!.fail()
  await vi.advanceTimersByTimeAsync(1000)
  const keys = sent.map(({ headers }) => headers['idempotency-key'])
  expect([keys[0] === keys[1], keys[2] === keys[0]]).toEqual([false, true])
  // The first response may lack the data of the second: the page requests its data after both.
  const page = { kind: 'page', route: '/', params: {}, props: {} } as const
  sent[1]!.respond({ kind: 'value', value: 2, page, revalidated: true })
  expect(await calls[1]).toBe(2)
  expect(done).toEqual(['responded'])
  sent[2]!.respond({ kind: 'value', value: 1, page, revalidated: true })
  expect(await calls[0]).toBe(1)
  expect(done).toEqual(['responded', 'responded', 'refresh'])
  const alone = submitAction('add', [formOf([['name', 'x']])], { ...deps, mayRepeat: true })
  sent[3]!.respond({ kind: 'value', value: 3, page, revalidated: true })
  expect(await alone).toBe(3)
  expect(done.slice(3)).toEqual(['responded', 'data page'])
})

test('A5 with repeat: allow a click after a lost response is another submission', async () => {
  const click = () => submitAction('add', [formOf([['name', 'x']])], { ...deps, mayRepeat: true })
  const lost = click()
  sent[0]!.respond('<html>', 400)
  expect(await lost).toMatchObject({ issues: [expect.anything()] })
  const again = click()
  sent[1]!.respond(value(1))
  await again
  expect(sent[1]!.headers['idempotency-key']).not.toBe(sent[0]!.headers['idempotency-key'])
})
