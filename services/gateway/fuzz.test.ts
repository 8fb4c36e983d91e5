import { expect, it } from 'vitest'
import { fuzzGateway } from './testing/fuzz-gateway.ts'

it('G8 passes on what clients sent and nothing else, for 2 000 hostile requests', { timeout: 60_000 }, async () => {
  const { sent, passed, statuses } = await fuzzGateway({ requests: 2000, seed: 20_261_122 })
  // The requests must reach the upstreams and also be refused in many ways; otherwise the test shows nothing.
  expect(passed).toBeGreaterThan(sent / 5)
  for (const status of [200, 308, 400, 405]) expect([...statuses.keys()]).toContain(status)
})
