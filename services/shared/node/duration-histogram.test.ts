// The histogram compared with prom-client's: the same observations must give the same text.

import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { DurationHistogram } from './duration-histogram.ts'

const BUCKETS = [0.001, 0.25, 1]
const OPTIONS = { name: 'seconds', help: 'A help.', labelNames: ['upstream', 'status'] as const, buckets: BUCKETS }
const OBSERVED = [0, 0.001, 0.0011, 0.25, 0.3, 1, 7]

test('O7 a histogram with kept series writes what prom-client writes', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  for (const registry of [ours, theirs]) registry.setDefaultLabels({ service: 'gateway' })
  const fast = new DurationHistogram({ ...OPTIONS, registers: [ours] })
  const slow = new Histogram({ ...OPTIONS, registers: [theirs] })
  for (const status of ['2xx', '5xx']) {
    const observe = fast.series({ upstream: 'renderer', status })
    for (const seconds of OBSERVED) {
      observe(seconds)
      slow.observe({ upstream: 'renderer', status }, seconds)
    }
  }
  const sorted = (text: string) => text.split('\n').map(withSortedLabels)
  expect(sorted(await ours.metrics())).toEqual(sorted(await theirs.metrics()))
  expect(await ours.metrics()).toContain('le="1"')
})

test('O7 a histogram with kept series continues to count after a reset of its registry', async () => {
  const registry = new Registry()
  const observe = new DurationHistogram({ ...OPTIONS, registers: [registry] }).series({ upstream: 'a', status: '2xx' })
  observe(5)
  registry.resetMetrics()
  observe(0.5)
  const text = await registry.metrics()
  expect(text).toContain('seconds_count{upstream="a",status="2xx"} 1')
  expect(text).toContain('seconds_sum{upstream="a",status="2xx"} 0.5')
})

/** The order of labels has no meaning. */
function withSortedLabels(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join()}}`)
}
