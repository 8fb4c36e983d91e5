// The client of inner ports (O4): a request with the token of the stack, one whole bounded response, and no error that is
// thrown. What is asked where, and after which fault another place, the caller decides (one-more.ts, places.ts).

import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as sendRequest,
} from 'node:http'
import { INTERNAL_HEADERS } from '../../wire/constants.ts'
import { type FailedSend, faultOf, replicaOut } from './faults.ts'
import { createWholeReader, type WholeLimits } from './whole-response.ts'

/** Idle connections end before those of the inner port, which are kept for 75 s. */
const IDLE_CONNECTION_MS = 60_000
const MOST_IDLE_CONNECTIONS = 64

/** The inner port of a process; IPv6 addresses without brackets. */
export interface InnerPlace {
  address: string
  innerPort: number
}

/** `digest`: that of the log line of the replica, which responded with an error. */
export type InnerFailure = FailedSend & { kind: 'fault'; error: Error; digest?: string | undefined }

export type InnerResult = { kind: 'bytes'; status: number; headers: IncomingHttpHeaders; bytes: Buffer } | InnerFailure

/** The running request, for who counts it and may end it. */
interface Sending {
  /** True until the connection is made. */
  isUnsent(): boolean
  /** `out`: the replica was ejected. `given-up`: no other one is ready. */
  end(fault: 'out' | 'given-up'): void
}

export interface InnerRequest {
  path: string
  /** JSON that is posted; without it the request is a GET. */
  json?: string
  headers?: Readonly<Record<string, string>>
  /**
   * The request may reach the replica twice: it is sent again where a kept connection ended as it used it. One that may not has
   * a connection of its own: after the end of a kept one it is unknown whether the replica ran the request.
   */
  isRepeatable: boolean
  signal?: AbortSignal
  /** Called for each sending. */
  watch?: (sending: Sending) => {
    /** Bytes arrived. */
    heard(): void
    ended(): void
  }
}

export interface InnerClient {
  /** Never rejects. */
  send(place: InnerPlace, request: InnerRequest): Promise<InnerResult>
  close(): void
}

export interface InnerClientOptions extends WholeLimits {
  /** The stack's token; undefined while it is not known. */
  token: () => string | undefined
  /** Time limit for a whole response; absent: the signal of each request has one. */
  timeoutMs?: number
}

export function createInnerClient(options: InnerClientOptions): InnerClient {
  const { token } = options
  const agent = new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE_CONNECTIONS, timeout: IDLE_CONNECTION_MS })
  const sendOnce = createSender(options)
  let isClosed = false
  return {
    async send({ address, innerPort }, request) {
      const { path, json, headers, isRepeatable } = request
      const known = token()
      if (known === undefined) return failed({ fault: 'unfit', isUnsent: true }, 'the token of the stack is not known')
      const body = json === undefined ? undefined : Buffer.from(json)
      const start = (own: Agent | false) =>
        sendRequest({
          host: address,
          port: innerPort,
          path,
          agent: own,
          method: body ? 'POST' : 'GET',
          headers: {
            ...headers,
            authorization: `Bearer ${known}`,
            ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
          },
        })
      try {
        const result = await sendOnce(start(isRepeatable && agent), body, request)
        // No fault of the replica.
        const isStale = result.kind === 'fault' && result.fault === 'stale' && !isClosed
        return isStale ? await sendOnce(start(false), body, request) : result
      } catch (error) {
        // A token, or another header, that node:http refuses.
        return failed({ fault: 'unfit', isUnsent: true }, error as Error)
      }
    },
    close() {
      isClosed = true
      agent.destroy()
    },
  }
}

/** Sends one request and reads its whole response. */
function createSender({ timeoutMs, ...limits }: InnerClientOptions) {
  const read = createWholeReader(limits)

  return (sent: ClientRequest, body: Buffer | undefined, { signal, watch }: InnerRequest): Promise<InnerResult> =>
    new Promise((resolve) => {
      let isUnsent = true
      let ended: InnerFailure['fault'] | undefined
      const endAs = (fault: InnerFailure['fault'], error?: Error) => {
        ended = fault
        sent.destroy(error)
      }
      const watched = watch?.({ isUnsent: () => isUnsent, end: (fault) => endAs(fault, replicaOut()) })
      const timer = timeoutMs === undefined ? undefined : setTimeout(endAs, timeoutMs, 'late')
      const onAbort = () => endAs(isTimeout(signal?.reason) ? 'late' : 'aborted')
      signal?.addEventListener('abort', onAbort)
      let isSettled = false
      const end = (result: InnerResult) => {
        isSettled = true
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        resolve(result)
      }
      const fail = (error: unknown) => {
        if (isSettled) return
        const fault = ended ?? faultOf(error, sent.reusedSocket)
        end(failed({ fault, isUnsent }, error instanceof Error ? error : TEXTS[fault]))
      }
      sent.on('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => (isUnsent = false))
        // The system may refuse a connection at once.
        else isUnsent &&= socket.destroyed
      })
      sent.on('error', fail)
      sent.on('close', () => {
        watched?.ended()
        // A response that broke off reports no error of the request.
        fail(undefined)
      })
      sent.on('response', (response: IncomingMessage) => {
        response.on('error', fail)
        if (watched) {
          watched.heard()
          response.on('data', watched.heard)
        }
        read(response, (whole) => {
          const { statusCode: status = 500, headers } = response
          if (whole.kind === 'bytes') return end({ ...whole, status, headers })
          const fault = ended ?? whole.fault
          const text = fault === 'unfit' ? `the process responded ${status}` : TEXTS[fault]
          end({ ...failed({ fault, isUnsent: false }, text), digest: headers[INTERNAL_HEADERS.digest]?.toString() })
          sent.destroy()
        })
      })
      if (signal?.aborted) onAbort()
      sent.end(body)
    })
}

const TEXTS: Readonly<Partial<Record<InnerFailure['fault'], string>>> = {
  broken: 'the connection broke off before the end of the response',
  late: 'no whole response in time',
  'too-large': 'the response is larger than the limit',
  busy: 'other responses use the memory for reading',
}

function failed(send: FailedSend, error: Error | string = `the request ended: ${send.fault}`): InnerFailure {
  return { kind: 'fault', ...send, error: typeof error === 'string' ? new Error(error) : error }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}
