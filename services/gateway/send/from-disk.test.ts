import { once } from 'node:events'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendFromDisk } from './from-disk.ts'

/** Not a whole number of pieces; each piece is different. */
const BYTES = Buffer.from(Array.from({ length: 1_000_003 }, (_, at) => (at * 31 + (at >> 8)) & 255))

let folder: string
let server: Server
/** Last byte and time limit of the next responses. */
let last = BYTES.length - 1
let stalledMs = 60_000
const path = () => join(folder, 'large')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-pass-'))
  await writeFile(path(), BYTES)
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': last + 1 })
    void sendFromDisk(path(), { first: 0, last }, response, stalledMs)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const requestFile = () =>
  new Promise<IncomingMessage>((done, failed) => {
    // A server that listens has an address with a port.
    get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, done).on('error', failed)
  })

/** Files of the folder that this process holds open. */
const openFiles = async () => {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(folder)).length
}

describe('a file on disk', () => {
  it('G3 reaches many clients completely at the same time, slow clients included', async () => {
    const readers = Array.from({ length: 100 }, async (_, reader) => {
      const chunks: Buffer[] = []
      // A response is an async iterable of buffers.
      for await (const chunk of (await requestFile()) as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        if (chunks.length % 5 === reader % 5) await sleep(reader % 7)
      }
      return Buffer.concat(chunks).equals(BYTES)
    })
    expect(new Set(await Promise.all(readers))).toEqual(new Set([true]))
    await expect.poll(openFiles).toBe(0)
  })

  it('G3 breaks off, and never looks complete, when it is shorter than its index entry', async () => {
    last = BYTES.length + 99
    const response = await requestFile()
    await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' })
    last = BYTES.length - 1
    expect(response.complete).toBe(false)
    await expect.poll(openFiles).toBe(0)
  })

  it('G3 is closed when its client disconnects, and when its client reads nothing for the time limit', async () => {
    // Longer than what the system itself buffers for a client that reads nothing.
    await writeFile(path(), Buffer.alloc(64 << 20))
    last = (64 << 20) - 1
    const leaving = await requestFile()
    await once(leaving, 'readable')
    await expect.poll(openFiles).toBe(1)
    leaving.destroy()
    await expect.poll(openFiles).toBe(0)
    stalledMs = 100
    const stalled = await requestFile()
    await expect.poll(openFiles).toBe(0)
    await expect(stalled.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})
