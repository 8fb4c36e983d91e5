import { MIDDLEWARE_BODY_LIMIT_BYTES, WAITING_BODIES_BYTES } from '@portico/shared/wire/constants.ts'
import { expect, it } from 'vitest'
import { boundsOf } from './bounds.ts'
import { IN_FLIGHT_LIMIT } from './replicas/service-replicas.ts'

/** As many as GATEWAY_WORKERS permits (config.ts). */
const MOST_WORKERS = 8

const WHOLE = { cacheBytes: 64_000_000, maxConnections: 10_000 }

it('C7 G8 one process has the bounds of the gateway, and workers share them', () => {
  const one = boundsOf({ ...WHOLE, workers: 1 })
  expect(one).toMatchObject({ ...WHOLE, inFlightLimit: IN_FLIGHT_LIMIT, waitingBodiesBytes: WAITING_BODIES_BYTES })
  const four = boundsOf({ ...WHOLE, workers: 4 })
  expect(Object.entries(four).map(([name, value]) => [name, 4 * value])).toEqual(Object.entries(one))
})

it('X15 the most workers still have room to read the largest verdict', () => {
  const { readingLimitBytes } = boundsOf({ ...WHOLE, workers: MOST_WORKERS })
  expect(readingLimitBytes).toBeGreaterThan(3 * MIDDLEWARE_BODY_LIMIT_BYTES)
})
