// A worker: serves clients, and has from the primary what a gateway has once.

import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { GatewayConfig } from '../config.ts'
import { openFileStore } from '../files/open-file-store.ts'
import { type OpenedGateway, openGateway } from '../open.ts'
import type { WhyQuestion } from '../why/explanation.ts'
import { type Calls, createCalls } from './calls.ts'
import { openRemoteControl } from './remote-control.ts'
import type { PrimaryCalls, WorkerCalls } from './wire.ts'

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
