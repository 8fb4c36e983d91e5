// Requests of the page cache to the inner port of renderers (W8): the gateway's own, without anything of a client.

import { Agent, type RequestOptions, request as sendRequest } from 'node:http'
import { ENTRY_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import { parseJson } from '@portico/shared/wire/json/json-value.ts'
import {
  type Entry,
  type KnownPaths,
  PATHS_PATH,
  parseEntry,
  parseKnownPaths,
} from '@portico/shared/wire/page-entry.ts'
import { codedError, type Failure, failureOf, REPLICA_OUT } from '../../proxy/proxy-errors.ts'
import type { Replica, Replicas } from '../../replicas/replicas.ts'

/** Idle connections end before those of the renderer's inner port, which are kept for 75 s. */
const IDLE_CONNECTION_MS = 60_000

/** Bytes of all responses that are being read. */
const READING_LIMIT_BYTES = 32 * 1024 * 1024

/**
 * `late`: no whole response within the time limit. `unfit`: a response that is no entry, as of another release. `busy`:
 * other responses use the memory for reading.
 */
export type EntryFault = Failure | 'late' | 'unfit' | 'too-large' | 'busy'

export type EntryResult = { kind: 'entry'; entry: Entry } | { kind: 'fault'; fault: EntryFault }
type BytesResult = { kind: 'bytes'; bytes: Buffer } | { kind: 'fault'; fault: EntryFault }

export interface EntryClient {
  /** Never rejects. */
  request(replica: Replica, target: string): Promise<EntryResult>
  /** The pages whose paths the renderer knows; undefined where it does not respond with them. Never rejects. */
  paths(replica: Replica): Promise<KnownPaths | undefined>
  close(): void
}

export interface EntryClientDeps {
  replicas: Pick<Replicas, 'begin' | 'end' | 'failed'>
  /** The stack's token; undefined while it is not known. */
  token: () => string | undefined
  timeoutMs: number
  /** An entry of more bytes is not read. */
  limitBytes: number
}

export function createEntryClient({ replicas, token, timeoutMs, limitBytes }: EntryClientDeps): EntryClient {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS })
  const sendOnce = createSender({ replicas, timeoutMs, limitBytes: Math.min(limitBytes, ENTRY_LIMIT_BYTES) })

  /** Never rejects. */
  const send = async (replica: Replica, target: string): Promise<BytesResult> => {
    const known = token()
    if (known === undefined) return { kind: 'fault', fault: 'unfit' }
    const headers = { authorization: `Bearer ${known}` }
    const options = { host: replica.address, port: replica.innerPort, path: target, agent, headers }
    const result = await sendOnce(replica, options)
    // A kept connection ended just as the request used it: no fault of the renderer.
    const isStale = result.kind === 'fault' && result.fault === 'stale'
    const last = isStale ? await sendOnce(replica, options) : result
    if (last.kind === 'fault' && last.fault === 'refused') replicas.failed(replica, 'refused')
    return last
  }

  return {
    async request(replica, target) {
      const result = await send(replica, target)
      if (result.kind === 'fault') return result
      const entry = parseEntry(result.bytes)
      return entry ? { kind: 'entry', entry } : { kind: 'fault', fault: 'unfit' }
    },
    async paths(replica) {
      const result = await send(replica, PATHS_PATH)
      return result.kind === 'fault' ? undefined : parseKnownPaths(parseJson(result.bytes.toString()))
    },
    close: () => agent.destroy(),
  }
}

type SenderDeps = Pick<EntryClientDeps, 'replicas' | 'timeoutMs' | 'limitBytes'>

/** Sends one request and reads its whole response. */
function createSender({ replicas, timeoutMs, limitBytes }: SenderDeps) {
  let readingBytes = 0

  return (replica: Replica, options: RequestOptions): Promise<BytesResult> =>
    new Promise((resolve) => {
      const sent = sendRequest(options)
      const onEjected = () => void sent.destroy(codedError(REPLICA_OUT, 'the replica was ejected'))
      replicas.begin(replica, onEjected)
      let ownBytes = 0
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        sent.destroy()
      }, timeoutMs)
      const end = (result: BytesResult) => {
        clearTimeout(timer)
        resolve(result)
      }
      const fail = (error: unknown) =>
        end({ kind: 'fault', fault: isLate ? 'late' : failureOf(error, sent.reusedSocket) })
      const refuse = (fault: EntryFault) => {
        end({ kind: 'fault', fault })
        sent.destroy()
      }
      sent.on('error', fail)
      sent.on('close', () => {
        readingBytes -= ownBytes
        replicas.end(replica, onEjected)
        // A response that broke off reports no error of the request.
        fail(undefined)
      })
      sent.on('response', (response) => {
        response.on('error', fail)
        const declared = Number(response.headers['content-length'])
        if (response.statusCode !== 200 || !(declared >= 0)) return refuse('unfit')
        // SECURITY: a process that is not one of this stack could send more than memory.
        if (declared > limitBytes) return refuse('too-large')
        if (readingBytes + declared > READING_LIMIT_BYTES) return refuse('busy')
        readingBytes += declared
        ownBytes = declared
        // Not from the pool of node:buffer: a kept slice of the pool keeps all of the pool.
        const bytes = Buffer.allocUnsafeSlow(declared)
        let receivedBytes = 0
        response.on('data', (chunk: Buffer) => {
          receivedBytes += chunk.copy(bytes, receivedBytes)
        })
        // SECURITY: bytes that did not arrive are those of another request.
        response.on('end', () => (receivedBytes === declared ? end({ kind: 'bytes', bytes }) : refuse('unfit')))
      })
      sent.end()
    })
}
