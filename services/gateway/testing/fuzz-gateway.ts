// For tests: sends hostile connections to a gateway over raw upstreams, several at a time, and compares what the upstreams
// and the clients received with what the clients sent (G8).

import fc from 'fast-check'
import { startGateway, type TestGateway } from './gateway-fixture.ts'
import { type HostileConnection, hostileConnection } from './hostile-requests.ts'
import { connectRaw, type RawClient } from './raw-client.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'
import { readSentRequests, type SentRequest } from './sent-requests.ts'

const CONNECTIONS_AT_ONCE = 20
const REMEMBERED_CONNECTIONS = 10 * CONNECTIONS_AT_ONCE
/** What connections hold on average. */
const REQUESTS_PER_CONNECTION = 2

interface FuzzReport {
  /** Written by clients, and received by upstreams. */
  sent: number
  passed: number
  /** Responses by status. */
  statuses: ReadonlyMap<number, number>
}

/**
 * Sends about so many requests. Rejects at the first difference, with the seed and the bytes of the connection. Nothing is
 * shrunk: those bytes are few, and the other connections of the batch matter only by being there.
 */
export async function fuzzGateway(options: { requests: number; seed: number }): Promise<FuzzReport> {
  const upstreams = await Promise.all([startRawUpstream(), startRawUpstream(), startRawUpstream()])
  const [renderer, images, actions] = upstreams.map(({ url }) => url) as [URL, URL, URL]
  const gateway = await startGateway({ upstreams: { renderer, images, actions } })
  const run = createRun(gateway, upstreams)
  try {
    const batch = fc.array(hostileConnection, { minLength: CONNECTIONS_AT_ONCE, maxLength: CONNECTIONS_AT_ONCE })
    const numRuns = Math.ceil(options.requests / (CONNECTIONS_AT_ONCE * REQUESTS_PER_CONNECTION))
    await fc.assert(fc.asyncProperty(batch, run.check), { numRuns, seed: options.seed, endOnFailure: true })
    run.compare()
    return run.report
  } finally {
    await Promise.all([gateway, ...upstreams].map((part) => part.stop()))
  }
}

interface Written extends Pick<HostileConnection, 'pieces'> {
  bytes: string
  /** As RFC 9112 reads the bytes. */
  requests: SentRequest[]
}

function createRun(gateway: TestGateway, upstreams: readonly RawUpstream[]) {
  const statuses = new Map<number, number>()
  const report = { sent: 0, passed: 0, statuses }
  const journal: Written[] = []
  const seen = new Set<string>()
  let count = 0

  /** Requests of different clients are under way at the same time: a response must find its own. */
  for (const upstream of upstreams) upstream.delayOf = ({ target }) => (target.length % 5 === 0 ? 3 : 0)

  async function check(connections: HostileConnection[]): Promise<void> {
    const written = connections.map(({ requests, pieces }): Written => {
      const bytes = requests.map((text) => text.replaceAll('ID', `id${++count}-`)).join('')
      report.sent += requests.length
      return { bytes, pieces, requests: readSentRequests(bytes) }
    })
    journal.push(...written)
    await Promise.all(written.map(converse))
    compare()
    // Requests of a client that disconnected early may arrive a little later.
    journal.splice(0, journal.length - REMEMBERED_CONNECTIONS)
  }

  async function converse({ bytes, pieces, requests }: Written) {
    const client = connectRaw(gateway.port)
    try {
      const writing = writeInPieces(client, bytes, pieces)
      await readResponses(client, requests)
      await writing
    } catch (cause) {
      throw new Error(`the client that wrote ${JSON.stringify({ bytes, pieces, requests })}`, { cause })
    } finally {
      client.destroy()
    }
  }

  async function readResponses(client: RawClient, requests: readonly SentRequest[]) {
    for (const { method, target, mayPass, body } of requests) {
      // Unfinished: a response may arrive; the test does not wait for the response.
      if (mayPass && body === undefined) return
      const response = await client.read(method)
      if (!response) return
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.status === 200 && method !== 'HEAD' && response.body !== `response to ${target}`)
        throw new Error(`${method} ${target} received ${JSON.stringify(response)}`)
    }
    // Behind the last request there is something malformed or nothing.
    if (client.unread().includes('HTTP/1.1 200 ')) throw new Error(`a response too many: ${client.unread()}`)
  }

  /** Every request of an upstream was sent by a client as it is, once. */
  function compare() {
    for (const { faults, requests } of upstreams) {
      if (faults.length > 0) throw new Error(faults.join('\n'))
      for (const { method, target, body } of requests.splice(0)) {
        const connection = journal.find(({ requests }) => requests.some((request) => request.target === target))
        const request = connection?.requests.find((request) => request.target === target)
        const wanted = method === 'GET' || method === 'HEAD' ? '' : request?.body
        if (!request?.mayPass || request.method !== method || body !== wanted || seen.has(target)) {
          const id = /id\d+-/.exec(target)?.[0] ?? ''
          const by = journal.find(({ bytes }) => bytes.includes(id))
          throw new Error(`no client sent ${JSON.stringify({ method, target, body })}, but ${JSON.stringify(by)}`)
        }
        seen.add(target)
        report.passed++
      }
    }
  }

  return { check, compare, report }
}

async function writeInPieces(client: RawClient, bytes: string, pieces: readonly number[]): Promise<void> {
  let at = 0
  for (const length of pieces) {
    client.write(bytes.slice(at, at + length))
    at += length
    await new Promise((done) => setImmediate(done))
  }
  client.write(bytes.slice(at))
}
