// What pages hear of errors, over real sockets.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { DEV_PROTOCOL, type DevError, type DevServerMessage } from '../../shared/wire/dev-wire.ts'
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

/** A page that connects; `errors` are the messages of those it heard of. */
async function openPage() {
  // A server that listens has an AddressInfo.
  const page = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, DEV_PROTOCOL)
  pages.push(page)
  const heard: DevServerMessage[] = []
  page.on('message', (data) => heard.push(JSON.parse(String(data)) as DevServerMessage))
  await once(page, 'open')
  return {
    heard,
    /** What it had heard by the time that it hears of a version. */
    async errors(): Promise<string[]> {
      const version = Math.random()
      hub.send({ kind: 'version', version })
      await expect.poll(() => heard.some((each) => each.kind === 'version' && each.version === version)).toBe(true)
      return heard.flatMap((each) => (each.kind === 'error' ? each.error.message : []))
    },
  }
}

const errorOf = (source: DevError['source'], message: string): DevError => ({ source, message, stack: [] })

test('V2 an error of one request is told to open pages and the first one opened after it, not to every later one', async () => {
  const open = await openPage()
  hub.report(errorOf('action', 'of an action'))
  expect(await open.errors()).toEqual(['of an action'])
  expect(await (await openPage()).errors()).toEqual(['of an action'])
  expect(await (await openPage()).errors()).toEqual([])
  hub.report(errorOf('action', 'of an action'))
  expect(await (await openPage()).errors()).toEqual(['of an action'])
  hub.mend('action')
  expect(await (await openPage()).errors()).toEqual([])
  await expect.poll(() => open.heard.at(-1)?.kind).toBe('version')
  expect(open.heard).toContainEqual({ kind: 'mended', source: 'action' })
})

test('V2 what cannot be built is told to every page until it is mended', async () => {
  hub.report(errorOf('build', 'no such module'))
  for (let page = 1; page <= 3; page++) expect(await (await openPage()).errors()).toEqual(['no such module'])
  hub.mend('build')
  expect(await (await openPage()).errors()).toEqual([])
})
