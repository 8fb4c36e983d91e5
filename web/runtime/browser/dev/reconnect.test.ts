// The rule of reconnection, with a fake clock and sockets that the test opens and closes.

import type { DevServerMessage } from '@portico/shared/wire/dev/dev-wire.ts'
import { expect, test } from 'vitest'
import { createConnection, type ReconnectState } from './connection.ts'

type SocketListeners = Parameters<Parameters<typeof createConnection>[0]['openSocket']>[0]

const HELLO = '{"kind":"hello","server":"one","version":0}'

function setUp() {
  let now = 0
  let lastId = 0
  const timers = new Map<number, { at: number; callback: () => void }>()
  const sockets: { at: number; sent: string[]; isClosed: boolean; listeners: SocketListeners }[] = []
  const reloads: number[] = []
  const states: ReconnectState[] = []
  const messages: DevServerMessage[] = []
  const connection = createConnection({
    openSocket(listeners) {
      const socket = { at: now, sent: [] as string[], isClosed: false, listeners }
      sockets.push(socket)
      return {
        send: (text) => void socket.sent.push(text),
        close() {
          socket.isClosed = true
        },
      }
    },
    setTimer(callback, milliseconds) {
      timers.set(++lastId, { at: now + milliseconds, callback })
      return lastId
    },
    clearTimer: (id) => void timers.delete(id as number),
    reload: () => void reloads.push(now),
    onState: (state) => void states.push(state),
    onMessage: (message) => void messages.push(message),
  })
  const pass = (milliseconds: number) => {
    const end = now + milliseconds
    for (;;) {
      const due = [...timers].filter(([, { at }]) => at <= end).sort(([, left], [, right]) => left.at - right.at)[0]
      if (!due) break
      timers.delete(due[0])
      now = due[1].at
      due[1].callback()
    }
    now = end
  }
  const last = () => sockets.at(-1)!
  return { connection, sockets, reloads, states, messages, pass, last, now: () => now }
}

test('V2 tries 5 times after 1 s each and 20 times after 5 s each, and reloads the page when the 25th attempt fails', () => {
  const { sockets, reloads, pass, last, now } = setUp()
  const begun: number[] = []
  last().listeners.onClose()
  for (let attempt = 1; attempt <= 25; attempt++) {
    const count = sockets.length
    const lostAt = now()
    while (sockets.length === count) pass(100)
    begun.push(last().at - lostAt)
    expect(reloads).toEqual([])
    last().listeners.onClose()
  }
  expect(begun).toEqual([...Array(5).fill(1000), ...Array(20).fill(5000)])
  expect(reloads).toEqual([105_000])
  pass(600_000)
  expect(sockets).toHaveLength(26)
  expect(reloads).toHaveLength(1)
})

test('V2 counts attempts from the start again after a success', () => {
  const { sockets, reloads, pass, last } = setUp()
  last().listeners.onClose()
  for (let attempt = 1; attempt < 25; attempt++) {
    pass(5000)
    if (attempt < 24) last().listeners.onClose()
  }
  last().listeners.onMessage(HELLO)
  const before = sockets.length
  last().listeners.onClose()
  for (let attempt = 1; attempt <= 5; attempt++) {
    pass(1000)
    expect(sockets).toHaveLength(before + attempt)
    last().listeners.onClose()
  }
  pass(4999)
  expect(sockets).toHaveLength(before + 5)
  expect(reloads).toEqual([])
})

test('V2 counts a socket that opens without hello as a failed attempt', () => {
  const { sockets, states, pass, last } = setUp()
  pass(5000)
  expect(states).toEqual([{ kind: 'waiting', attempt: 1, waitMs: 1000 }])
  expect(sockets[0]?.isClosed).toBe(true)
  // Late events of the first socket have no effect.
  sockets[0]?.listeners.onClose()
  sockets[0]?.listeners.onMessage(HELLO)
  expect(states).toHaveLength(1)
  pass(1000)
  last().listeners.onMessage(HELLO)
  expect(states.at(-1)).toEqual({ kind: 'connected' })
})

test('V2 keeps at most a hundred messages of the page until the connection is open', () => {
  const { connection, pass, last } = setUp()
  connection.send({ kind: 'vite', data: 'a' })
  last().listeners.onMessage(HELLO)
  expect(last().sent).toEqual(['{"kind":"vite","data":"a"}'])
  last().listeners.onClose()
  for (let count = 0; count < 500; count++) connection.send({ kind: 'vite', data: String(count) })
  pass(1000)
  last().listeners.onMessage(HELLO)
  expect(last().sent).toHaveLength(100)
})

test('V2 ignores text that is not a message of the wire', () => {
  const { messages, last } = setUp()
  for (const text of ['', 'null', '[]', '{"kind":"unheard-of"}', '{"kind":"hello"}', HELLO])
    last().listeners.onMessage(text)
  expect(messages).toEqual([{ kind: 'hello', server: 'one', version: 0 }])
})
