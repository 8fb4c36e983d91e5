// Requests verdicts of middleware from renderers (W11): from one of the gateway's build, within a time limit. Every fault
// is a 503 for the client, never a request that passes.

import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import type { SendFault } from '@portico/shared/kit/inner/faults.ts'
import type { InnerResult } from '@portico/shared/kit/inner/inner-client.ts'
import { sendWithOneMore } from '@portico/shared/kit/inner/one-more.ts'
import type { Whole } from '@portico/shared/kit/inner/whole-response.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import {
  HEADERS,
  MIDDLEWARE_BODY_LIMIT_BYTES,
  MIDDLEWARE_HEADERS_LIMIT_BYTES,
  MIDDLEWARE_PATH,
  VERDICT_LIMIT_MS,
} from '@portico/shared/wire/constants.ts'
import { parseJson } from '@portico/shared/wire/json/json-value.ts'
import {
  type MiddlewareQuestion,
  type MiddlewareVerdict,
  parseVerdict,
} from '@portico/shared/wire/middleware/verdict.ts'
import { createReadyQueue } from '../../proxy/proxy.ts'
import { chooseOfBuild, createReplicaClient, type Replica, type Replicas } from '../../replicas/replicas.ts'

/** JSON of a verdict: the body in base64, and headers, in which each byte may become several. */
const VERDICT_LIMIT_BYTES = 2 * MIDDLEWARE_BODY_LIMIT_BYTES + 8 * MIDDLEWARE_HEADERS_LIMIT_BYTES
export const VERDICT_LIMITS = { limitBytes: VERDICT_LIMIT_BYTES, readingLimitBytes: 32 * 1024 * 1024 }

/** `no-renderer`: none of the build is ready in time. */
type VerdictFault = SendFault | 'no-renderer'

export type VerdictResult =
  | { kind: 'verdict'; verdict: MiddlewareVerdict }
  | { kind: 'fault'; fault: VerdictFault; digest?: string | undefined; by?: Replica | undefined }

interface VerdictOptions {
  requestId: string
  traceparent: string
  /** The address of the client. */
  client: string
  /** The client disconnected, or its request was refused. */
  signal: AbortSignal
}

export interface Verdicts {
  /** Never rejects. */
  request(question: MiddlewareQuestion, options: VerdictOptions): Promise<VerdictResult>
  close(): void
}

export interface VerdictsDeps {
  /** The replicas of the renderer. */
  replicas: Replicas
  token: () => string | undefined
  log: Pick<Log, 'warn'>
  isDraining: () => boolean
  /** Under development renderers report no version. */
  devMode?: boolean
  timeoutMs?: number | undefined
  firstReadyMs?: number | undefined
  /** How many requests may wait for a ready renderer. */
  firstReadyWaiters?: number | undefined
  /** Bytes of all verdicts that are being read. */
  readingLimitBytes?: number | undefined
}

interface Waiting {
  build: string
  /** The network of the client, as of network-of.ts. */
  network: string
  /** Called with a renderer of the build, or with nothing at the end of the time. */
  resolve: (replica: Replica | undefined) => void
}

export function createVerdicts(deps: VerdictsDeps): Verdicts {
  const { replicas, token, log, isDraining, devMode = false, timeoutMs = VERDICT_LIMIT_MS } = deps
  const { firstReadyMs, firstReadyWaiters, readingLimitBytes = VERDICT_LIMITS.readingLimitBytes } = deps
  const inner = createReplicaClient({ replicas, token, timeoutMs, ...VERDICT_LIMITS, readingLimitBytes })

  const choose = (build: string, except?: Replica): Replica | undefined => {
    const replica = devMode ? replicas.choose({ except }) : chooseOfBuild(replicas, build, { except })
    return replica && replica.inFlight < replica.inFlightLimit ? replica : undefined
  }

  const readyQueue = createReadyQueue<Waiting>({
    tryNow({ build, resolve }) {
      const replica = choose(build)
      if (replica) resolve(replica)
      return replica !== undefined
    },
    sourceOf: () => replicas,
    networkOf: ({ network }) => network,
    onTimeout: ({ resolve }) => resolve(undefined),
    onDisplaced: ({ resolve }) => resolve(undefined),
    isDraining,
    ...(firstReadyMs !== undefined && { waitMs: firstReadyMs }),
    ...(firstReadyWaiters !== undefined && { most: firstReadyWaiters }),
  })

  const whenReady = (
    build: string,
    { client, signal }: Pick<VerdictOptions, 'client' | 'signal'>,
    since?: number,
  ): Promise<Replica | undefined> =>
    new Promise((resolve) => {
      const waiting = { build, network: networkOf(client), resolve }
      if (isDraining() || !readyQueue.wait(waiting, since)) return resolve(undefined)
      signal.addEventListener('abort', () => {
        readyQueue.remove(waiting)
        resolve(undefined)
      })
    })

  return {
    async request(question, options) {
      const { requestId, traceparent, signal } = options
      const { build, method } = question
      const isRepeatable = method === 'GET' || method === 'HEAD'
      const json = JSON.stringify(question)
      const headers = { [HEADERS.requestId]: requestId, traceparent }
      const sent = { path: MIDDLEWARE_PATH, json, headers, isRepeatable, signal }
      const first = choose(build) ?? (await whenReady(build, options))
      if (!first) return { kind: 'fault', fault: 'no-renderer' }
      let waitsSince: number | undefined
      const { by, result } = await sendWithOneMore({
        first,
        next(replica, { fault }) {
          if (signal.aborted) return undefined
          log.warn({ event: 'middleware', replica: replica.name, fault }, 'verdict of middleware requested again')
          waitsSince ??= performance.now()
          return choose(build, replica) ?? whenReady(build, options, waitsSince)
        },
        send: (replica) => inner.send(replica, sent),
        isRepeatable,
      })
      return resultOf(result, by)
    },
    close: inner.close,
  }
}

/** The verdict in the bytes of a response. */
export function resultOf(result: Whole | InnerResult, by: Replica | undefined): VerdictResult {
  if (result.kind === 'fault') return { ...result, by }
  const verdict = parseVerdict(parseJson(result.bytes.toString()))
  return verdict ? { kind: 'verdict', verdict } : { kind: 'fault', fault: 'unfit', by }
}
