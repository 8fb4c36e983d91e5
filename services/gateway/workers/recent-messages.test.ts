import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import { expect, it } from 'vitest'
import { createRecentMessages } from './recent-messages.ts'

it('C5 keeps messages without a place in the order of the store for some seconds, and no others', () => {
  let now = 0
  const recent = createRecentMessages(() => now)
  recent.note(messageOf({ paths: ['/counted'] }, { epoch: 'e', generation: 1 }))
  recent.note(messageOf({ paths: ['/a'] }))
  now = 4000
  recent.note(messageOf({ paths: ['/b'] }))
  expect(recent.list().map(({ paths }) => paths)).toEqual([['/a'], ['/b']])
  now = 5001
  expect(recent.list().map(({ paths }) => paths)).toEqual([['/b']])
})

it('C5 more messages than it keeps are one that names everything', () => {
  const recent = createRecentMessages(() => 0)
  for (let count = 0; count <= 1000; count++) recent.note(messageOf({ paths: [`/${count}`] }))
  expect(recent.list()).toEqual([messageOf({ everything: true })])
})
