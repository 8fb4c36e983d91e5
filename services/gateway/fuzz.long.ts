// A hundred thousand hostile requests through the gateway. PORTICO_FUZZ_SEED repeats a run.

import { expect, it } from 'vitest'
import { fuzzGateway } from './testing/fuzz-gateway.ts'

const REQUESTS = 100_000
const seed = Number(process.env.PORTICO_FUZZ_SEED ?? Date.now() % 2 ** 31)

it(`G8 passes on what clients sent and nothing else, for ${REQUESTS} hostile requests of the seed ${seed}`, async () => {
  const { sent, passed, statuses } = await fuzzGateway({ requests: REQUESTS, seed })
  console.log(`seed ${seed}: sent ${sent}, passed on ${passed}, responses by status`, Object.fromEntries(statuses))
  expect(sent).toBeGreaterThan(REQUESTS * 0.9)
  expect(passed).toBeGreaterThan(sent / 5)
})
