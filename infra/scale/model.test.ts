// The capacity model with round figures, and what the calculator takes.

import { describe, expect, it } from 'vitest'
import { bytesOf, readCompose } from '../checks/manifests.ts'
import { COSTS } from './costs.ts'
import type { ClusterFigures } from './figures.ts'
import { limitsOf } from './limits.ts'
import { DEFAULT_MIX, planCapacity, type Traffic } from './model.ts'
import { parseCosts, parseMix, parseNumber } from './options.ts'
import { scaleTables } from './tables.ts'

const FIGURES: ClusterFigures = {
  measured: '2026-01-01',
  node: 'v26.0.0',
  cores: 2,
  loadBefore: 0,
  gateways: 50,
  replicas: 200,
  probes: { gateways: 5, replicas: 20, gatewayMs: 0.2, replicaMs: 0.1 },
  bookkeeping: { probesPerSecond: 20_000, probeMs: 0.002, allReadyMs: 500, stopKnownMs: 500 },
  reads: { processes: 250, perSecond: 1667, readMs: 0.1, redisMs: 0.01 },
  messages: {
    processes: 250,
    changes: 40,
    confirmedShare: 1,
    publisherMs: 0.2,
    receiverMs: 0.1,
    redisMs: 2.5,
    allConfirmedMs: 100,
    allConfirmedP95Ms: 200,
    marksOnlyMs: 150,
  },
}
const FREE: ClusterFigures = {
  ...FIGURES,
  probes: { ...FIGURES.probes, gatewayMs: 0, replicaMs: 0 },
  reads: { ...FIGURES.reads, readMs: 0, redisMs: 0 },
  messages: { ...FIGURES.messages, publisherMs: 0, receiverMs: 0, redisMs: 0 },
}
const TRAFFIC: Traffic = {
  requestsPerSecond: 1000,
  regions: 1,
  cdnShare: 0,
  mix: DEFAULT_MIX,
  changesPerSecond: 0,
  roundTripMs: 0,
}
const only = (kind: keyof typeof DEFAULT_MIX) => parseMix(`${kind}=1`)
const plan = (changes: Partial<Traffic>, figures = FREE) => planCapacity({ ...TRAFFIC, ...changes }, figures)
const shareOf = (name: string, changes: Partial<Traffic>, figures = FIGURES) =>
  limitsOf(plan(changes, figures), figures).find((limit) => limit.name === name)?.share

describe('the capacity model', () => {
  it('O5 has as many replicas as the processor time needs at 70 % of a core each, and one more', () => {
    const { services } = plan({ mix: only('rendered') })
    // 1000 × 2.4 ms and 1000 × 4.6 ms.
    expect([services.gateway.cores, services.renderer.cores]).toEqual([2.4, 4.6])
    expect([services.gateway.replicas, services.renderer.replicas]).toEqual([5, 8])
    expect(services.renderer.memoryMb).toBe(8 * 512)
  })

  it('O2 counts the memory limits of the containers', () => {
    const { services } = readCompose('docker-compose.yml')
    for (const [name, { memoryMb, replicas }] of Object.entries(plan({}).services))
      expect((memoryMb / replicas) * 2 ** 20, name).toBe(bytesOf(services[name]?.mem_limit ?? ''))
  })

  it('O5 divides the requests by regions, and has actions in one of them', () => {
    const { services } = plan({ regions: 5 })
    expect(services.gateway).toMatchObject({ perRegion: 2, replicas: 10 })
    expect(services.actions.replicas).toBe(services.actions.perRegion)
  })

  it('O5 takes from the gateways what a CDN responds to, and nothing of one client', () => {
    expect(plan({ cdnShare: 1, mix: only('page') }).originPerSecond).toBe(0)
    expect(plan({ cdnShare: 1, mix: only('rendered') }).originPerSecond).toBe(1000)
    expect(plan({ cdnShare: 0.5 }).originPerSecond).toBeCloseTo(1000 * (0.94 / 2 + 0.06))
  })

  it('O5 counts the work of replicas for each other, which grows with their number', () => {
    const cheap = plan({ requestsPerSecond: 100_000 })
    const costly = plan({ requestsPerSecond: 100_000 }, FIGURES)
    expect(costly.services.gateway.cores).toBeGreaterThan(cheap.services.gateway.cores)
    const { probed, probing, probesPerSecond, feeds, redis, services } = costly
    expect(probesPerSecond).toBe(probed * probing * 2)
    expect(feeds).toBe(services.gateway.replicas + services.renderer.replicas + services.actions.replicas)
    expect(redis.readsPerSecond).toBeCloseTo(feeds / 0.15)
  })

  it('O5 probes within a region, but actions services from all regions', () => {
    const { probed, probing, services } = plan({ requestsPerSecond: 20_000, regions: 5 })
    expect(probed).toBe(services.renderer.perRegion + services.images.perRegion + services.actions.replicas)
    expect(probing).toBe(services.gateway.replicas)
  })

  it.each<[Partial<Traffic>, string]>([
    [{ requestsPerSecond: 0 }, 'requests=0'],
    [{ regions: 1.5 }, 'regions=1.5'],
    [{ cdnShare: 2 }, 'cdn=2'],
    [{ changesPerSecond: -1 }, 'changes=-1'],
    [{ roundTripMs: Number.NaN }, 'round-trip=NaN'],
    [{ mix: { ...DEFAULT_MIX, page: 0.5 } }, 'the shares of the mix'],
    [{ mix: { ...DEFAULT_MIX, page: -0.4, file: 1.1 } }, 'a share of the mix'],
  ])('O5 refuses %j by name', (changes, text) => {
    expect(() => plan(changes)).toThrow(text)
  })
})

describe('the limits', () => {
  it('O5 are in the order of their shares', () => {
    const shares = limitsOf(plan({ requestsPerSecond: 20_000 }, FIGURES), FIGURES).map(({ share }) => share)
    expect(shares).toEqual(shares.toSorted((left, right) => right - left))
  })

  it('A5 name the day of submissions that no longer fits into the budget', () => {
    // 192 MiB ÷ 1536 bytes ÷ 86400 s = 1.517 actions a second.
    const at = (requestsPerSecond: number) =>
      shareOf('records of submissions for a day', { requestsPerSecond, mix: only('action') })
    expect(at(1.5)).toBeLessThan(1)
    expect(at(1.53)).toBeGreaterThan(1)
  })

  it('C5 name a distance at which marks are older than processes trust them', () => {
    const at = (roundTripMs: number) => shareOf('distance to the state Redis', { regions: 2, roundTripMs })
    expect(at(150)).toBeLessThan(1)
    expect(at(181)).toBeGreaterThan(1)
    expect(shareOf('distance to the state Redis', { regions: 1, roundTripMs: 200 })).toBeUndefined()
  })
})

describe('the calculator', () => {
  it('O5 takes a mix, costs that were measured, and numbers', () => {
    expect(parseMix('page=0.5, rendered=0.5')).toMatchObject({ page: 0.5, rendered: 0.5, action: 0 })
    const costs = parseCosts('{"rendered":{"renderer":12}}')
    expect(costs.rendered).toEqual({ gateway: 2.4, renderer: 12 })
    expect(costs.page).toEqual(COSTS.page)
    expect(COSTS.rendered.renderer).toBe(4.6)
    expect(parseNumber('requests', '0.5')).toBe(0.5)
  })

  it.each([
    [() => parseMix('pages=1'), '"pages" is not a kind of request; kinds: page, file'],
    [() => parseMix('page'), 'page= is not a number'],
    [() => parseCosts('{"page":{"proxy":1}}'), 'page.proxy is not a part; parts: gateway'],
    [() => parseCosts('{"page":{"gateway":"1"}}'), 'page.gateway="1" must be a number of milliseconds, 0 or more'],
    [() => parseCosts('{"page":1}'), 'page=1 must be an object: {"page":{"gateway":0.9}}'],
    [() => parseCosts('page'), 'costs must be JSON: '],
    [() => parseCosts('[1]'), '"0" is not a kind'],
    [() => parseCosts('1'), 'costs must be an object: '],
    [() => parseMix('page=0.5,page=0.5'), 'mix=page=0.5,page=0.5 must have page once'],
    [
      () => plan({ requestsPerSecond: 1e6, regions: 50, changesPerSecond: 10_000 }, FIGURES),
      'requests=1000000, regions=50 and changes=10000 need more than 100000 replicas of',
    ],
    [() => parseNumber('regions', 'two'), 'regions=two is not a number'],
  ])('O5 refuses %o by name', (parse, text) => {
    expect(parse).toThrow(text)
  })

  it('O5 writes four tables', () => {
    const tables = scaleTables(FIGURES)
    expect(tables).toHaveLength(4)
    for (const text of tables) {
      const columns = text
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('|').length)
      expect(new Set(columns).size, text).toBe(1)
      expect(text).not.toMatch(/NaN|undefined|Infinity/)
    }
  })
})
