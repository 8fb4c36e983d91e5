import { Registry } from '@prometheus-io/client'
import { expect, it } from 'vitest'
import type { Log } from './log.ts'
import { createRefusals } from './refusals.ts'

it('G8 counts each refusal and logs them at most once a minute', async () => {
  const registry = new Registry()
  const lines: unknown[] = []
  let now = 0
  // The one method that is used.
  const log = { warn: (fields: unknown) => lines.push(fields) } as unknown as Log
  const refusals = createRefusals({ log, registry, now: () => now })
  refusals.report()
  expect(lines).toEqual([])
  // From the start: a series that begins with its first refusal has no increase for rate().
  expect(await registry.metrics()).toContain('portico_refused_total{listener="public",reason="body-idle"} 0')
  for (let second = 0; second <= 60; second++) {
    now = second * 1000
    refusals.note('public', 'body-idle')
    refusals.report()
  }
  refusals.note('inner', 'connections')
  refusals.report()
  expect(lines).toEqual([
    { event: 'refused', counts: { 'public body-idle': 1 } },
    { event: 'refused', counts: { 'public body-idle': 60 } },
  ])
  now = 120_000
  refusals.report()
  expect(lines[2]).toEqual({ event: 'refused', counts: { 'inner connections': 1 } })
  const text = await registry.metrics()
  expect(text).toContain('portico_refused_total{listener="public",reason="body-idle"} 61')
})
