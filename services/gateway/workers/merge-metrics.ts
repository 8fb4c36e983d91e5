// The metrics and figures of all processes of a gateway as those of one. Each metric names its rule (`aggregator`):
// counters, histograms and most gauges add up.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { Registry } from '@prometheus-io/client'
import { mergeFigures } from '../control/control.ts'
import type { Member } from './member.ts'
import type { Metrics, Snapshot } from './wire.ts'

export function mergeMetrics(parts: readonly Metrics[]): Registry {
  return Registry.aggregate([...parts])
}

/** What remains of the metrics of processes that have ended: a sum that falls would look like a restart of all. */
async function countsOf(parts: readonly Metrics[]): Promise<Metrics> {
  const merged = await mergeMetrics(parts).getMetricsAsJSON()
  return merged.filter(({ type }) => type === 'counter' || type === 'histogram')
}

/** What all workers counted, those that have ended included. */
export function createCounts(members: () => readonly Pick<Member, 'refresh' | 'snapshot'>[], log: Log) {
  let ended = Promise.resolve<Snapshot>({ metrics: [], figures: { replicas: [], counts: {} } })
  const add = async (sum: Snapshot, { metrics, figures }: Snapshot): Promise<Snapshot> => ({
    metrics: await countsOf([sum.metrics, metrics]),
    // No replica of a process that has ended is known any more.
    figures: { ...mergeFigures([sum.figures, figures]), replicas: [] },
  })
  return {
    /** Takes the last snapshot of a worker that has ended. */
    keep(snapshot: Snapshot | undefined): void {
      if (!snapshot) return
      const before = ended
      ended = before
        .then((sum) => add(sum, snapshot))
        .catch((error: unknown) => {
          log.error({ event: 'worker-counts-lost', error }, 'counts of an ended worker lost')
          return before
        })
    },
    async read(): Promise<Snapshot[]> {
      await Promise.all(members().map((member) => member.refresh()))
      // Both of the same moment: each worker is in one of them.
      const running = members().flatMap((member) => member.snapshot() ?? [])
      return [...running, await ended]
    },
  }
}
