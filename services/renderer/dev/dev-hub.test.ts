// Which errors pages receive, over real sockets.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEV_PROTOCOL, type DevError, type DevServerMessage } from '@portico/shared/wire/dev/dev-wire.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createDevHub, type DevHub } from './dev-hub.ts'

const server = createServer()
const pages: WebSocket[] = []
let hub: DevHub

beforeEach(async () => {
  hub = createDevHub({ channel: () => ({ join() {}, leave() {}, receive() {} }), open() {} })
  server.on('upgrade', hub.accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const page of pages.splice(0)) page.terminate()
  hub.close()
  server.removeAllListeners('upgrade')
  server.close()
  await once(server, 'close')
})

/** A page that connects; `errorsUntil` returns the messages of the received errors. */
async function openPage(document = '') {
  // A server that listens has an AddressInfo.
  const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/?document=${document}`
  const page = new WebSocket(address, DEV_PROTOCOL)
  pages.push(page)
  const received: DevServerMessage[] = []
  page.on('message', (data) => received.push(JSON.parse(String(data)) as DevServerMessage))
  await once(page, 'open')
  return {
    received,
    /** The errors received before a version. */
    async errors(): Promise<string[]> {
      const version = Math.random()
      hub.send({ kind: 'version', version })
      await expect.poll(() => received.some((each) => each.kind === 'version' && each.version === version)).toBe(true)
      return received.flatMap((each) => (each.kind === 'error' ? each.error.message : []))
    },
  }
}

const errorOf = (source: DevError['source'], message: string): DevError => ({ source, message, stack: [] })

test('V2 sends an error of one request to open pages and the first page opened later, not to all later pages', async () => {
  const open = await openPage()
  hub.report(errorOf('action', 'of an action'))
  expect(await open.errors()).toEqual(['of an action'])
  expect(await (await openPage()).errors()).toEqual(['of an action'])
  expect(await (await openPage()).errors()).toEqual([])
  hub.report(errorOf('action', 'of an action'))
  expect(await (await openPage()).errors()).toEqual(['of an action'])
  hub.clear('action')
  expect(await (await openPage()).errors()).toEqual([])
  await expect.poll(() => open.received.at(-1)?.kind).toBe('version')
  expect(open.received).toContainEqual({ kind: 'mended', source: 'action' })
})

test('V2 sends an error to the document in which it occurred, though a page that is unloaded connected before', async () => {
  hub.report(errorOf('render', 'no frame'), 'first')
  hub.report(errorOf('render', 'no frame'), 'second')
  expect(await (await openPage('first')).errors()).toEqual(['no frame'])
  expect(await (await openPage('second')).errors()).toEqual(['no frame'])
  expect(await (await openPage('other')).errors()).toEqual([])
  expect(await (await openPage()).errors()).toEqual([])
})

test('V2 sends an error of the build to every page until the error is fixed', async () => {
  hub.report(errorOf('build', 'no such module'))
  for (let page = 1; page <= 3; page++) expect(await (await openPage()).errors()).toEqual(['no such module'])
  hub.clear('build')
  expect(await (await openPage()).errors()).toEqual([])
})

test('V2 sends every page the current warnings only: a fixed one reaches no page that opens later', async () => {
  const warningsOf = ({ received }: Awaited<ReturnType<typeof openPage>>) => {
    const last = received.findLast((each) => each.kind === 'warnings')
    return last?.kind === 'warnings' ? last.warnings.map(({ text }) => text) : undefined
  }
  const open = await openPage()
  await expect.poll(() => warningsOf(open)).toEqual([])
  hub.setWarnings('a', [{ text: 'slow' }])
  hub.setWarnings('b', [{ text: 'a Date' }, { text: 'a function' }])
  await expect.poll(() => warningsOf(open)).toEqual(['slow', 'a Date', 'a function'])
  hub.setWarnings('b', [{ text: 'a Date' }])
  hub.setWarnings('a', [])
  await expect.poll(() => warningsOf(open)).toEqual(['a Date'])
  const later = await openPage()
  await expect.poll(() => warningsOf(later)).toEqual(['a Date'])
  hub.clearWarnings()
  await expect.poll(() => warningsOf(later)).toEqual([])
})
