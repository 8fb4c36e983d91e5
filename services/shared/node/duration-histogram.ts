// A Prometheus histogram for values that every request observes: prom-client's histogram looks its series up by text at
// each observation, which costs more than all other metrics of a request together.

import { Histogram, type Registry } from 'prom-client'

export interface DurationHistogramOptions<Label extends string> {
  name: string
  help: string
  labelNames: readonly Label[]
  /** Upper bounds in seconds, rising. */
  buckets: readonly number[]
  registers: Registry[]
}

/** Records one observation, in seconds. */
export type Observe = (seconds: number) => void

type Labels<Label extends string> = Readonly<Record<Label, string>>

interface Series<Label extends string> {
  labels: Labels<Label>
  /** Observations of each bucket alone; the last item counts those above all bounds. */
  counts: number[]
  sum: number
}

/** Registers itself like every metric of prom-client. Observations use `series`, never `observe`. */
export class DurationHistogram<Label extends string> extends Histogram<Label> {
  readonly #options: DurationHistogramOptions<Label>
  readonly #series: Series<Label>[] = []

  constructor(options: DurationHistogramOptions<Label>) {
    super({ ...options, buckets: [...options.buckets] })
    this.#options = options
  }

  /** The series of these labels. The caller keeps the series: each call creates another one. */
  series(labels: Labels<Label>): Observe {
    const { buckets } = this.#options
    const series: Series<Label> = { labels, counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 }
    this.#series.push(series)
    return (seconds) => {
      let place = 0
      while (place < buckets.length && seconds > buckets[place]!) place++
      series.counts[place]!++
      series.sum += seconds
    }
  }

  override async get() {
    const { name, help } = this.#options
    const values = this.#series.flatMap((series) => this.#valuesOf(series))
    // The members that prom-client's own get() returns in addition to the values.
    return { name, help, type: 'histogram', values, aggregator: 'sum' } as unknown as Awaited<
      ReturnType<Histogram<Label>['get']>
    >
  }

  /** The registry calls this method for the text form; prom-client's types lack it. */
  getForPromString() {
    return this.get()
  }

  override reset(): void {
    // The base class calls this method before `series` exists.
    if (!(#series in this)) return
    for (const series of this.#series) {
      series.counts.fill(0)
      series.sum = 0
    }
  }

  #valuesOf({ labels, counts, sum }: Series<Label>) {
    const { name, buckets } = this.#options
    let total = 0
    const values: { metricName: string; labels: Record<string, string | number>; value: number }[] = []
    counts.forEach((count, place) => {
      total += count
      values.push({ metricName: `${name}_bucket`, labels: { ...labels, le: buckets[place] ?? '+Inf' }, value: total })
    })
    values.push({ metricName: `${name}_sum`, labels: { ...labels }, value: sum })
    values.push({ metricName: `${name}_count`, labels: { ...labels }, value: total })
    return values
  }
}
