// What the page does with each message of the development server, over parts that write down their calls.

import type { DevServerMessage } from '@portico/shared/wire/dev/dev-wire.ts'
import { expect, test, vi } from 'vitest'
import { createFaults, type Fault } from './fault-list.ts'
import { createReceiver } from './receive-message.ts'

const BUILD: Fault = { source: 'build', message: 'Unexpected token', file: 'pages/index.tsx', stack: [] }
const BROWSER: Fault = { source: 'browser', message: 'boom', stack: [] }
const HELLO: DevServerMessage = { kind: 'hello', server: 'one', version: 1 }

interface SetUp {
  hasStarted?: boolean
  shown?: string
  documentVersion?: number
}

function setUp({ hasStarted = true, shown = '/', documentVersion }: SetUp = {}) {
  const calls: string[] = []
  const faults = createFaults(() => {})
  for (const fault of [BUILD, BROWSER]) faults.add(fault)
  const receive = createReceiver({
    faults,
    refresher: {
      hasStarted: () => hasStarted,
      refresh: () => void calls.push('refresh'),
      replacing: () => void calls.push('replacing'),
      leaveErrorScreen: () => void calls.push('leave error screen'),
      noteBuild: (buildId) => void calls.push(`build ${buildId}`),
    },
    vite: { receive: (data) => void calls.push(data), open: () => void calls.push('open') },
    reload: () => void calls.push('reload'),
    documentVersion,
    isShown: (patterns) => patterns.includes(shown),
  })
  const faultsLeft = () => faults.state().faults.map(({ source }) => source)
  return { calls, faults, faultsLeft, receive }
}

test.each<[string, DevServerMessage[], string[]]>([
  ['another process', [{ ...HELLO, server: 'two' }], ['reload']],
  ['other files', [{ ...HELLO, version: 2 }], ['reload']],
  ['the same files', [HELLO], ['refresh', 'open']],
  [
    'files whose version it reported',
    [
      { kind: 'version', version: 2 },
      { ...HELLO, version: 2 },
    ],
    ['refresh', 'open'],
  ],
])('V2 a connection that returns to %s does this', (_what, messages, expected) => {
  const { calls, receive } = setUp()
  receive(HELLO)
  expect(calls.splice(0)).toEqual(['open'])
  for (const message of messages) receive(message)
  expect(calls).toEqual(expected)
})

test('V2 a document is loaded again when its first connection finds other files or another server', () => {
  const fixed = setUp({ documentVersion: 1 })
  fixed.receive({ ...HELLO, version: 2 })
  expect(fixed.calls).toEqual(['reload'])
  const same = setUp({ documentVersion: 1 })
  same.receive(HELLO)
  expect(same.calls).toEqual(['open'])
})

test('V2 a connection that returns keeps the faults of the browser; the server sends its own again', () => {
  const { faultsLeft, receive } = setUp()
  receive(HELLO)
  expect(faultsLeft()).toEqual(['build', 'browser'])
  receive(HELLO)
  expect(faultsLeft()).toEqual(['browser'])
})

test('V2 an update of Vite clears the faults of the browser, and reloads a page that never started', () => {
  const update = '{"type":"update","updates":[]}'
  const { calls, faultsLeft, receive } = setUp()
  receive({ kind: 'vite', data: '{"type":"connected"}' })
  expect(faultsLeft()).toEqual(['build', 'browser'])
  receive({ kind: 'vite', data: update })
  expect([faultsLeft(), calls.at(-1)]).toEqual([['build'], update])
  const failed = setUp({ hasStarted: false })
  failed.receive({ kind: 'vite', data: update })
  expect(failed.calls).toEqual(['reload'])
})

test('V2 a fixed file clears its own faults only', () => {
  const { calls, faultsLeft, receive } = setUp()
  receive({ kind: 'mended', source: 'build', file: 'pages/other.tsx' })
  expect(faultsLeft()).toEqual(['build', 'browser'])
  receive({ kind: 'mended', source: 'build' })
  expect([faultsLeft(), calls]).toEqual([['browser'], ['refresh', 'refresh']])
})

test('V2 removed routes reload the page only if it shows one of them', () => {
  const { calls, receive } = setUp({ shown: '/about' })
  receive({ kind: 'routes', buildId: 'b', gone: ['/news'] })
  receive({ kind: 'routes', buildId: 'b', gone: ['/about'] })
  expect(calls).toEqual(['build b', 'leave error screen', 'reload'])
})

test('V2 changed server code clears the faults of the browser and requests page data', () => {
  const { calls, faultsLeft, receive } = setUp()
  receive({ kind: 'changed' })
  expect([faultsLeft(), calls]).toEqual([['build'], ['refresh']])
})

test('V2 warnings are those that the server has now, and each is written to the console when it is new', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const { faults, receive } = setUp()
  const [slow, date] = [{ text: 'slow' }, { text: 'a Date' }]
  for (const warnings of [[slow], [slow, date], [date], []]) {
    receive({ kind: 'warnings', warnings })
    expect(faults.state().warnings).toEqual(warnings)
  }
  expect(warn.mock.calls).toEqual([['[portico] slow'], ['[portico] a Date']])
  warn.mockRestore()
})
