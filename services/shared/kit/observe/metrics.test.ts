import { expect, test } from 'vitest'
import { PORTICO_VERSION } from '../../wire/constants.ts'
import { createMetrics } from './metrics.ts'

test('O7 a process prints its build, and the metrics of Node.js under their usual names', async () => {
  const text = await createMetrics('images', 'b1').metrics()
  expect(text).toContain(`portico_build_info{version="${PORTICO_VERSION}",build="b1",service="images"} 1`)
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
    'process_open_fds',
    'process_max_fds',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect(text).toMatch(RegExp(`^${name}\\{service="images"\\} [\\d.]+`, 'm'))
  expect(text).not.toMatch(/portico_(process|nodejs)_|eventloop_utilization/)
})
