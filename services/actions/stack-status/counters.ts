// Sums the counters of many replicas. The sums must only grow although a restarted replica counts from zero, a removed
// replica reports no counters any more, and a replica that was unavailable for a moment reports all of its count again.

import type { Sample } from './prometheus-text.ts'

/** A replica that was not seen for this long is forgotten; a later report counts in full. */
export const FORGET_AFTER_MS = 10 * 60_000

interface Source {
  seenAt: number
  values: Map<string, number>
}

export interface Counters {
  /** Adds the current report of one replica of a service. */
  add(service: string, replica: string, samples: readonly Sample[]): void
  /** The sum of the counters with this name and these labels, over all replicas of a service. */
  sum(service: string, name: string, labels?: Readonly<Record<string, string>>): number
}

/** `now` is a monotonic clock in milliseconds. */
export function createCounters(now: () => number): Counters {
  const sources = new Map<string, Source>()
  const sums = new Map<string, { service: string; sample: Sample; total: number }>()

  const forget = () => {
    for (const [name, { seenAt }] of sources) if (now() - seenAt > FORGET_AFTER_MS) sources.delete(name)
  }

  return {
    add(service, replica, samples) {
      forget()
      const source = `${service} ${replica}`
      const before = sources.get(source)?.values
      const values = new Map<string, number>()
      for (const sample of samples) {
        const series = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`
        values.set(series, sample.value)
        const last = before?.get(series) ?? 0
        const grown = sample.value >= last ? sample.value - last : sample.value
        const key = `${service} ${series}`
        const sum = sums.get(key)
        if (sum) sum.total += grown
        else sums.set(key, { service, sample, total: grown })
      }
      sources.set(source, { seenAt: now(), values })
    },
    sum(wantedService, name, labels = {}) {
      const wanted = Object.entries(labels)
      let total = 0
      for (const { service, sample, total: each } of sums.values())
        if (
          service === wantedService &&
          sample.name === name &&
          wanted.every(([label, value]) => sample.labels[label] === value)
        )
          total += each
      return total
    },
  }
}
