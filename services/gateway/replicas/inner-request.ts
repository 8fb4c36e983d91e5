// The gateway's own requests to the inner port of a service's replicas: with the stack's token, one whole bounded response.

import { Agent, type RequestOptions, request as sendRequest } from 'node:http'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { codedError, type Failure, failureOf, REPLICA_OUT } from '../proxy/proxy-errors.ts'
import type { OnEjected, Replica, Replicas } from './replicas.ts'
import { createWholeReader, type UnreadFault, type WholeLimits } from './whole-response.ts'

/** Idle connections end before those of the inner port, which are kept for 75 s. */
const IDLE_CONNECTION_MS = 60_000

/** `late`: no whole response within the time limit. `given-up`: the replica is frozen, and no other one is ready. */
export type InnerFault = Failure | UnreadFault | 'late' | 'given-up'

/** `digest`: that of the log line of the replica, which responded with an error. */
export type InnerResult =
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'fault'; fault: InnerFault; digest?: string | undefined }

interface InnerRequest {
  path: string
  /** JSON that is posted; without it the request is a GET. */
  json?: string
  headers?: Readonly<Record<string, string>>
  /** The request may reach the replica twice. */
  isRepeatable: boolean
  signal?: AbortSignal
}

interface InnerClient {
  /** Never rejects. */
  send(replica: Replica, request: InnerRequest): Promise<InnerResult>
  close(): void
}

export interface InnerClientDeps extends WholeLimits {
  replicas: Pick<Replicas, 'begin' | 'end' | 'failed' | 'heard'>
  /** The stack's token; undefined while it is not known. */
  token: () => string | undefined
  timeoutMs: number
}

export function createInnerClient(deps: InnerClientDeps): InnerClient {
  const { replicas, token } = deps
  const agent = new Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS })
  const sendOnce = createSender(deps)
  return {
    async send(replica, request) {
      const known = token()
      if (known === undefined) return { kind: 'fault', fault: 'unfit' }
      const { path, json, headers: own, isRepeatable, signal } = request
      const body = json === undefined ? undefined : Buffer.from(json)
      const options: RequestOptions = {
        host: replica.address,
        port: replica.innerPort,
        path,
        agent,
        method: body ? 'POST' : 'GET',
        headers: {
          ...own,
          authorization: `Bearer ${known}`,
          ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
        },
        ...(signal && { signal }),
      }
      const result = await sendOnce(replica, options, body)
      // A kept connection ended just as the request used it: no fault of the replica.
      const isStale = result.kind === 'fault' && result.fault === 'stale' && isRepeatable
      const last = isStale ? await sendOnce(replica, options, body) : result
      if (last.kind === 'fault' && last.fault === 'refused') replicas.failed(replica, 'refused')
      return last
    },
    close: () => agent.destroy(),
  }
}

/** Sends one request and reads its whole response. */
function createSender({ replicas, timeoutMs, ...limits }: InnerClientDeps) {
  const read = createWholeReader(limits)

  return (replica: Replica, options: RequestOptions, body: Buffer | undefined): Promise<InnerResult> =>
    new Promise((resolve) => {
      const sent = sendRequest(options)
      let ended: 'late' | 'given-up' | undefined
      const endAs = (fault: 'late' | 'given-up') => {
        ended = fault
        sent.destroy()
      }
      const onEjected: OnEjected = (why) => {
        if (why === 'given-up') endAs(why)
        else if (why === 'frozen' || sent.socket?.connecting)
          sent.destroy(codedError(REPLICA_OUT, 'the replica was ejected'))
      }
      replicas.begin(replica, onEjected)
      const timer = setTimeout(endAs, timeoutMs, 'late')
      const end = (result: InnerResult) => {
        clearTimeout(timer)
        resolve(result)
      }
      const fail = (error: unknown) => end({ kind: 'fault', fault: ended ?? failureOf(error, sent.reusedSocket) })
      sent.on('error', fail)
      sent.on('close', () => {
        replicas.end(replica, onEjected)
        // A response that broke off reports no error of the request.
        fail(undefined)
      })
      sent.on('response', (response) => {
        response.on('error', fail)
        replicas.heard(replica)
        response.on('data', () => replicas.heard(replica))
        read(response, (whole) => {
          if (whole.kind === 'bytes') return end(whole)
          end({ ...whole, digest: response.headers[INTERNAL_HEADERS.digest]?.toString() })
          sent.destroy()
        })
      })
      sent.end(body)
    })
}
