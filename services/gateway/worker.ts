// A worker: serves clients. It looks up and probes replicas and reads the marks of changes itself, and calls the primary, each
// time with a time limit, for what a gateway has once.

import { openMarks } from '@portico/shared/kit/feed/open-feed.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import { createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import { type GatewayConfig, hasPageCache } from './config.ts'
import { type Control, followStackToken, MARKS_CLIENT, type StackToken } from './control/control.ts'
import type { WhyQuestion } from './explanation.ts'
import { openFileStore } from './files/files.ts'
import { type OpenedGateway, openGateway } from './open.ts'
import { type Calls, createCalls, type PrimaryCalls, type WorkerCalls } from './workers/workers.ts'

const TOKEN_LIMIT_MS = 1500
/** The primary waits 50 ms for Redis. */
const TURN_LIMIT_MS = 250
/** The store of published files has its own limits for each file. */
const PUBLISHED_LIMIT_MS = 300_000

interface RemoteControl extends Control {
  token: StackToken
}

export async function openRemoteControl(
  config: GatewayConfig,
  { call }: Pick<Calls<PrimaryCalls>, 'call'>,
  log: Log,
): Promise<RemoteControl> {
  const { stackToken, postsPerMinute } = config
  const token =
    stackToken === undefined
      ? await followStackToken({ load: () => call('token', undefined, TOKEN_LIMIT_MS), isFixed: false, log })
      : { current: () => stackToken, close() {} }
  const takeShared = (network: string) =>
    // Without the primary each worker counts for itself.
    call('takeTurn', network, TURN_LIMIT_MS).catch(() => undefined)
  return {
    // Not by a call: pages are trusted for half a second after a read of the marks began.
    marks: hasPageCache(config) ? await openMarks(config, MARKS_CLIENT) : undefined,
    token,
    postLimit: postsPerMinute === 0 ? undefined : createClientLimit({ perMinute: postsPerMinute, takeShared }),
    published: () => call('published', undefined, PUBLISHED_LIMIT_MS),
  }
}

/** A report without a change is a sign of life; the primary learns of a change within this time. */
const REPORT_MS = 100
const REPORT_AGAIN_MS = 1000
const CALL_LIMIT_MS = 5000
/** Before the deadline of the drain, so that the primary ends after its workers. */
const EARLIER_MS = 500

export async function startWorker(config: GatewayConfig, log: Log): Promise<Service> {
  const snapshot = async () => ({ metrics: await opened.registry.getMetricsAsJSON(), figures: await opened.figures() })
  const apply = (messages: readonly InvalidationMessage[]) => {
    for (const message of messages) opened.apply(message)
  }
  let service: Service | undefined
  const handlers = {
    apply,
    snapshot,
    explain: (question: WhyQuestion) => opened.explain(question),
    retire: () => service?.retire(),
  } satisfies WorkerCalls
  const primary = createCalls<PrimaryCalls>({ send: (message) => process.send?.(message), handlers })
  process.on('message', primary.receive)
  const control = await openRemoteControl(config, primary, log)
  const store = await openFileStore(config, log)
  const opened = await openGateway(config, log, { control, store })
  apply(await primary.call('join', opened.site.build.manifest.buildId, CALL_LIMIT_MS))
  const reports = startReports(primary, opened)
  service = await startService({
    log,
    ...opened,
    sharesPorts: true,
    close: async () => {
      // The counts of this process remain those of the gateway.
      await primary.call('leave', await snapshot(), CALL_LIMIT_MS).catch(() => {})
      reports.stop()
      await opened.close()
      control.token.close()
      store.close()
    },
    drain: {
      delayMs: config.drainDelayMs,
      deadlineMs: Math.max(config.drainDelayMs, config.drainDeadlineMs - EARLIER_MS),
    },
  })
  reports.listening()
  return service
}

function startReports({ call }: Pick<Calls<PrimaryCalls>, 'call'>, serving: Pick<OpenedGateway, 'awaited'>) {
  let isListening = false
  let sent = ''
  let sentAt = Number.NEGATIVE_INFINITY
  const report = () => {
    const next = { isListening, awaited: serving.awaited() }
    const text = JSON.stringify(next)
    if (text === sent && performance.now() - sentAt < REPORT_AGAIN_MS) return
    sent = text
    sentAt = performance.now()
    // The next report says the same.
    call('report', next, CALL_LIMIT_MS).catch(() => {})
  }
  const timer = setInterval(report, REPORT_MS).unref()
  return {
    listening() {
      isListening = true
      report()
    },
    stop: () => clearInterval(timer),
  }
}
