// Services that hold secrets over one store, on a clock of the test: what one signs, all others must accept.

import { describe, expect, test } from 'vitest'
import { createLog } from '../observe/log.ts'
import { createHolder, type Holder, ROTATION_DELAY_MS } from './holder.ts'

type Name = 'stack-token' | 'action-key'
/** The secrets of each service, as the Redis users allow them. Images have none without STACK_TOKEN. */
const SERVICES = {
  gateway: ['stack-token'],
  renderer: ['stack-token', 'action-key'],
  actions: ['stack-token', 'action-key'],
  images: [],
} as const satisfies Record<string, readonly Name[]>
type Service = keyof typeof SERVICES
const ALL = Object.keys(SERVICES) as Service[]
const NAMES = ['stack-token', 'action-key'] as const

const CHECK_MS = 1000
const MISSING_WAIT_MS = 3000
const FORMER_MS = 24 * 60 * 60 * 1000
const STEP_MS = 100

/** A store, and services that check it each second; a service without a secret checks each step. */
function createStage() {
  let now = 1_000_000
  const stored = new Map<Name, string>()
  const lines: string[] = []
  const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) })
  const running = new Map<Service, { holders: Map<Name, Holder>; checkedAt: number }>()
  const hold = (name: Name, place = () => stored) =>
    createHolder({
      secret: name,
      place: {
        name: `portico:secret:${name}`,
        read: async () => place().get(name) ?? null,
        write: async (text) => place().set(name, text),
        create: async (text) => place().has(name) || place().set(name, text),
      },
      now: () => now,
      log,
    })
  const isReady = (service: Service) =>
    [...(running.get(service)?.holders.values() ?? [])].every((holder) => holder.current() !== undefined)
  const step = async () => {
    now += STEP_MS
    for (const [service, each] of running) {
      if (isReady(service) && now - each.checkedAt < CHECK_MS) continue
      each.checkedAt = now
      for (const holder of each.holders.values()) await holder.check()
    }
  }
  const of = (service: Service, name: Name) => running.get(service)?.holders.get(name)
  return {
    stored,
    lines,
    hold,
    step,
    of,
    jump(ms: number) {
      now += ms
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += STEP_MS) await step()
    },
    /** Starts a service without its memory; resolves with the time until it knows its secrets. */
    async restart(...services: Service[]) {
      const startedAt = now
      for (const service of services)
        running.set(service, {
          holders: new Map(SERVICES[service].map((name) => [name, hold(name)])),
          checkedAt: Number.NEGATIVE_INFINITY,
        })
      while (!services.every(isReady)) await step()
      return now - startedAt
    },
    /** What one service signs and another one does not accept. */
    refusals: () =>
      NAMES.flatMap((name) =>
        ALL.flatMap((signer) =>
          ALL.flatMap((reader) => {
            const [signed, ring] = [of(signer, name)?.current(), of(reader, name)]
            if (signed === undefined || ring?.current() === undefined || ring.accepted().includes(signed)) return []
            return [`${name}: ${signer} to ${reader}`]
          }),
        ),
      ),
  }
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}

describe('services that hold secrets', () => {
  test('O10 on an empty store wait 3 s, and make one secret of each name together', async () => {
    const stage = createStage()
    expect(await stage.restart(...ALL)).toBe(MISSING_WAIT_MS + STEP_MS)
    expect(stage.refusals()).toEqual([])
    for (const name of NAMES) {
      const values = ALL.flatMap((service) => stage.of(service, name)?.accepted() ?? [])
      expect(new Set(values).size).toBe(1)
      expect(values[0]?.length).toBeGreaterThanOrEqual(32)
    }
    expect(stage.of('actions', 'action-key')?.current()).not.toBe(stage.of('actions', 'stack-token')?.current())
    expect(stage.lines.filter((line) => line.includes('secret-made'))).toHaveLength(2)
  })

  test.each(ordersOf(ALL))(
    'O10 keep their secrets when the store is lost and %s, %s, %s, %s restart',
    async (...order) => {
      for (const pauseMs of [0, 300, 1500]) {
        const stage = createStage()
        await stage.restart(...ALL)
        const before = NAMES.map((name) => stage.of('renderer', name)?.current())
        stage.stored.clear()
        for (const service of order) {
          await stage.pass(pauseMs)
          // Another service has written the secrets back within a second.
          expect(await stage.restart(service)).toBeLessThanOrEqual(CHECK_MS + STEP_MS)
          expect(stage.refusals()).toEqual([])
        }
        await stage.pass(CHECK_MS)
        expect(NAMES.map((name) => stage.of('renderer', name)?.current())).toEqual(before)
        expect(NAMES.map((name) => stage.of('actions', name)?.accepted())).toEqual(before.map((value) => [value]))
        expect(stage.lines.join('')).toContain('"event":"secret-written-back"')
      }
    },
  )

  test('O10 make other secrets where no service has kept one, and the forms of before are reported', async () => {
    const stage = createStage()
    await stage.restart(...ALL)
    const before = stage.of('renderer', 'action-key')?.current()
    stage.stored.clear()
    expect(await stage.restart('renderer', 'actions')).toBe(MISSING_WAIT_MS + STEP_MS)
    expect(stage.of('renderer', 'action-key')?.accepted()).not.toContain(before)
    expect(stage.refusals()).toEqual([])
  })

  test('O10 two that made their own while they were apart agree, and accept for 24 hours what either signed', async () => {
    const stage = createStage()
    await stage.restart('renderer')
    const first = stage.of('renderer', 'action-key')!
    const apart = new Map<Name, string>()
    let place = apart
    const second = stage.hold('action-key', () => place)
    while (second.current() === undefined) await stage.step().then(second.check)
    const values = [first.current(), second.current()]
    expect(new Set(values).size).toBe(2)
    place = stage.stored
    await second.check()
    await stage.pass(CHECK_MS)
    // The older one wins, also where the younger one arrives.
    for (const holder of [first, second]) expect(holder.accepted()).toEqual(values)
    stage.jump(FORMER_MS)
    for (const holder of [first, second]) expect(holder.accepted()).toEqual([values[0]])
    expect(stage.lines.filter((line) => line.includes('secret-replaced'))).toHaveLength(1)
  })

  test('O10 read the value of a version before, and leave it as it is until a rotation', async () => {
    const stage = createStage()
    stage.stored.set('stack-token', 'a-token-of-before').set('action-key', 'a-key-of-before')
    expect(await stage.restart(...ALL)).toBe(STEP_MS)
    stage.stored.clear()
    await stage.pass(CHECK_MS)
    expect(Object.fromEntries(stage.stored)).toEqual({
      'stack-token': 'a-token-of-before',
      'action-key': 'a-key-of-before',
    })
    const operator = stage.hold('action-key')
    await operator.check()
    await operator.rotate()
    await stage.pass(ROTATION_DELAY_MS + CHECK_MS)
    expect(stage.of('renderer', 'action-key')?.accepted()).toEqual([expect.any(String), 'a-key-of-before'])
    expect(stage.refusals()).toEqual([])
  })

  test('O10 name a stored text that is no secret, and never overwrite it', async () => {
    const stage = createStage()
    stage.stored.set('action-key', '{"of":"another version"}')
    const holder = stage.hold('action-key')
    await expect(holder.check()).rejects.toThrow('portico:secret:action-key is no secret: delete it')
    stage.stored.delete('action-key')
    await stage.restart('actions')
    stage.stored.set('action-key', '{')
    await expect(stage.of('actions', 'action-key')?.check()).rejects.toThrow('is no secret')
    expect(stage.stored.get('action-key')).toBe('{')
    expect(stage.of('actions', 'action-key')?.current()).toBeDefined()
  })

  test('O10 a rotation refuses nothing: every service verifies with it before one signs', async () => {
    const stage = createStage()
    await stage.restart(...ALL)
    const before = stage.of('renderer', 'action-key')!.current()
    const operator = stage.hold('action-key')
    await operator.check()
    expect(await operator.rotate()).toBe(1)
    for (let passed = 0; passed <= ROTATION_DELAY_MS + CHECK_MS; passed += STEP_MS) {
      await stage.step()
      expect(stage.refusals()).toEqual([])
    }
    const after = stage.of('renderer', 'action-key')!
    expect(after.current()).not.toBe(before)
    expect(after.accepted()).toEqual([after.current(), before])
    // A service that starts later knows both.
    await stage.restart('actions')
    expect(stage.of('actions', 'action-key')?.accepted()).toEqual(after.accepted())
    stage.jump(FORMER_MS)
    expect(after.accepted()).toEqual([after.current()])
    await operator.check()
    expect(await operator.rotate()).toBe(2)
  })

  test('O10 a rotation that a service overwrites is stored again', async () => {
    const stage = createStage()
    await stage.restart('actions')
    const [text, operator] = [stage.stored.get('action-key')!, stage.hold('action-key')]
    await operator.check()
    await operator.rotate()
    stage.stored.set('action-key', text)
    await operator.check()
    expect(JSON.parse(stage.stored.get('action-key')!)).toMatchObject({ rotation: 1, former: [{ rotation: 0 }] })
    await expect(stage.hold('stack-token', () => new Map()).rotate()).rejects.toThrow(
      'there is no portico:secret:stack-token',
    )
  })
})
