import { expect, test } from 'vitest'
import { createLog } from '../observe/log.ts'
import { createDerived, createFixedKeyring, createUnknownLog } from './keyring.ts'

test('O10 the first key of a setting signs, all verify', () => {
  const keyring = createFixedKeyring(['new', 'old'])
  expect([keyring.current(), keyring.accepted()]).toEqual(['new', ['new', 'old']])
  expect(() => createFixedKeyring([])).toThrow('at least one key')
})

test('O10 what is derived from keys is made once for each change of them', () => {
  let secrets = ['a']
  let runs = 0
  const derived = createDerived({ accepted: () => secrets }, (given) => `${given.join()} ${++runs}`)
  expect([derived(), derived()]).toEqual(['a 1', 'a 1'])
  secrets = ['b', 'a']
  expect([derived(), derived()]).toEqual(['b,a 2', 'b,a 2'])
})

test('O10 one line a minute reports signatures of unknown keys, with their numbers and without a value', () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  let now = 0
  const note = createUnknownLog({ secret: 'ACTION_KEYS', log, now: () => now })
  note('form')
  for (let more = 0; more < 1000; more++) note(more % 2 === 0 ? 'cookie' : 'form')
  expect(lines).toMatchObject([{ level: 'warn', event: 'unknown-key', secret: 'ACTION_KEYS', counts: { form: 1 } }])
  now = 60_000
  note('form')
  expect(lines.slice(1)).toMatchObject([{ event: 'unknown-key', counts: { cookie: 500, form: 501 } }])
})
