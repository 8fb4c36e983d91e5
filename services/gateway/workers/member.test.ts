// A worker whose process is this one: its end of the channel responds when the test says so.

import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import { MAX_MARKS } from '@portico/shared/kit/feed/generations.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import { expect, it, vi } from 'vitest'
import { createCalls } from './calls.ts'
import { createMember, type SharedHandlers } from './member.ts'
import type { PrimaryCalls, Snapshot } from './wire.ts'

const log = createLog('gateway', 'silent')

async function setUp() {
  /** Each call that the worker has received; it responds when `respond` is called. */
  const received: { messages: InvalidationMessage[]; respond: () => void }[] = []
  /** What the worker responds with; then nothing. */
  const snapshots: Snapshot[] = []
  const state = { kills: 0 }
  const worker = Object.assign(new EventEmitter(), {
    id: 1,
    isConnected: () => true,
    send: (message: unknown) => void setImmediate(() => own.receive(structuredClone(message))),
    process: {
      kill(signal: NodeJS.Signals) {
        state.kills++
        setImmediate(() => worker.emit('exit', null, signal))
      },
    },
  })
  const own = createCalls<PrimaryCalls>({
    send: (message) => void setImmediate(() => worker.emit('message', structuredClone(message))),
    handlers: {
      snapshot: () => snapshots.shift() ?? new Promise(() => {}),
      apply: (messages: InvalidationMessage[]) => new Promise<void>((respond) => received.push({ messages, respond })),
    },
  })
  // What a member uses of a worker, and what this worker calls.
  const member = createMember(worker as unknown as Worker, { join: () => [] } as unknown as SharedHandlers, log)
  await own.call('join', 'b1', 1000)
  return { member, received, snapshots, state }
}

const pathsOf = ({ messages }: { messages: InvalidationMessage[] }) => messages.flatMap(({ paths }) => paths)

it('C5 a message that arrives while the worker applies another one is confirmed after the call that has it', async () => {
  const { member, received } = await setUp()
  const confirmed: string[] = []
  const apply = (path: string) => member.apply(messageOf({ paths: [path] })).then(() => confirmed.push(path))
  const first = apply('/1')
  await expect.poll(() => received.length).toBe(1)
  const others = [apply('/2'), apply('/3')]
  received[0]!.respond()
  await first
  await expect.poll(() => received.length).toBe(2)
  expect([confirmed, received.map(pathsOf)]).toEqual([['/1'], [['/1'], ['/2', '/3']]])
  received[1]!.respond()
  await Promise.all(others)
  expect(confirmed).toEqual(['/1', '/2', '/3'])
})

it('C5 O1 a worker that is busy while thousands of messages arrive is not killed, and has no page of before them', async () => {
  const { member, received, state } = await setUp()
  const first = member.apply(messageOf({ paths: ['/first'] }))
  await expect.poll(() => received.length).toBe(1)
  // The last one is one too many: two epochs leave two messages, to which others are added.
  const count = MAX_MARKS + 1 + (MAX_MARKS - 1)
  const paths = Array.from({ length: count }, (_, index) => `/${index}`)
  // Every second one is not counted, as while the state store is away.
  const places = paths.map((_, index) => (index % 2 === 0 ? {} : { epoch: 'e', generation: index }))
  const others = paths.map((path, index) => member.apply(messageOf({ paths: [path] }, places[index])))
  received[0]!.respond()
  await expect.poll(() => received.length).toBe(2)
  received[1]!.respond()
  await Promise.all([first, ...others])
  expect(state.kills).toBe(0)
  const { messages } = received[1]!
  expect(messages).toEqual([
    messageOf({ everything: true }),
    messageOf({ everything: true }, { epoch: 'e', generation: count - 1 }),
  ])
  const marks = { epoch: 'e', generation: 0, floor: 0, marks: [] }
  const feed = createFeed({ reader: { read: async () => marks, close: () => {} }, log })
  await feed.confirm()
  const before = feed.asOf()
  expect(feed.isCurrent(before, '/0', [])).toBe(true)
  for (const message of messages) feed.apply(message)
  expect(paths.filter((path) => feed.isCurrent(before, path, []))).toEqual([])
  // What a renderer must know from now on.
  expect(feed.position()).toEqual({ epoch: 'e', generation: count - 1 })
  feed.close()
})

it('C5 a worker that does not apply messages within two seconds is killed once, and then nothing waits for it', async () => {
  const { member, received, state } = await setUp()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const waiting = [member.apply(messageOf({ paths: ['/1'] }))]
    // The first call is sent.
    await vi.advanceTimersByTimeAsync(0)
    waiting.push(member.apply(messageOf({ paths: ['/2'] })), member.apply(messageOf({ paths: ['/3'] })))
    await vi.advanceTimersByTimeAsync(1999)
    expect(state.kills).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all(waiting)
    await member.apply(messageOf({ paths: ['/4'] }))
    expect([state.kills, received.length]).toEqual([1, 1])
  } finally {
    vi.useRealTimers()
  }
})

it('O4 of a worker that does not respond its last snapshot counts, before a reader of the status gives up', async () => {
  const { member, snapshots } = await setUp()
  const last: Snapshot = { metrics: [], figures: { replicas: [], counts: {} } }
  snapshots.push(last)
  await member.refresh()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let isOver = false
    void member.refresh().then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(900)
    expect([isOver, member.snapshot()]).toEqual([true, last])
  } finally {
    vi.useRealTimers()
  }
})
