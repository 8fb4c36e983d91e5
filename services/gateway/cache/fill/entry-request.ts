// Requests an entry from a renderer's inner port (W8): a request of the gateway's own, without anything of a client.

import { Agent, request as sendRequest } from 'node:http'
import { ENTRY_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import { type Entry, parseEntry } from '@portico/shared/wire/page-entry.ts'
import { codedError, type Failure, failureOf, REPLICA_OUT } from '../../proxy/proxy-errors.ts'
import type { Replica, Replicas } from '../../replicas/replicas.ts'

/** Idle connections end before those of the renderer's inner port, which are kept for 75 s. */
const IDLE_CONNECTION_MS = 60_000

/** `late`: no whole response within the time limit. `unfit`: a response that is no entry, as of another release. */
export type EntryFault = Failure | 'late' | 'unfit'

export type EntryResult = { kind: 'entry'; entry: Entry } | { kind: 'fault'; fault: EntryFault }

export interface EntryClient {
  /** Never rejects. */
  request(replica: Replica, target: string): Promise<EntryResult>
  close(): void
}

export interface EntryClientDeps {
  replicas: Pick<Replicas, 'begin' | 'end' | 'failed'>
  innerPort: number
  /** The stack's token; undefined while it is not known. */
  token: () => string | undefined
  timeoutMs: number
}

export function createEntryClient({ replicas, innerPort, token, timeoutMs }: EntryClientDeps): EntryClient {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS })

  const send = (replica: Replica, target: string, headers: Readonly<Record<string, string>>) =>
    new Promise<EntryResult>((resolve) => {
      const sent = sendRequest({ host: replica.address, port: innerPort, path: target, agent, headers })
      const onEjected = () => void sent.destroy(codedError(REPLICA_OUT, 'the replica was ejected'))
      replicas.begin(replica, onEjected)
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        sent.destroy()
      }, timeoutMs)
      const end = (result: EntryResult) => {
        clearTimeout(timer)
        resolve(result)
      }
      const fail = (error: unknown) =>
        end({ kind: 'fault', fault: isLate ? 'late' : failureOf(error, sent.reusedSocket) })
      sent.on('error', fail)
      sent.on('close', () => {
        replicas.end(replica, onEjected)
        // A response that broke off reports no error of the request.
        fail(undefined)
      })
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('error', fail)
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          // SECURITY: a process that is not one of this stack could send more than memory.
          if (bytes > ENTRY_LIMIT_BYTES) sent.destroy()
          else chunks.push(chunk)
        })
        response.on('end', () => {
          const entry = response.statusCode === 200 ? parseEntry(Buffer.concat(chunks, bytes)) : undefined
          end(entry ? { kind: 'entry', entry } : { kind: 'fault', fault: 'unfit' })
        })
      })
      sent.end()
    })

  return {
    async request(replica, target) {
      const known = token()
      if (known === undefined) return { kind: 'fault', fault: 'unfit' }
      const headers = { authorization: `Bearer ${known}` }
      let result = await send(replica, target, headers)
      // A kept connection ended just as the request used it: no fault of the renderer.
      if (result.kind === 'fault' && result.fault === 'stale') result = await send(replica, target, headers)
      if (result.kind === 'fault' && result.fault === 'refused') replicas.failed(replica, 'refused')
      return result
    },
    close: () => agent.destroy(),
  }
}
