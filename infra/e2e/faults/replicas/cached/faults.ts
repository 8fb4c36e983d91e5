// What happens to a stack with a page cache: revalidations one after the other, paused processes, and faults of the state
// Redis. The callers say how often.

import { cp, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf } from '../../../harness/processes.ts'
import type { Member } from '../fleet.ts'
import { until } from '../stage.ts'
import { startReaders } from './readers.ts'
import type { CachedStage, Raised, Reading } from './stage.ts'

/**
 * Revalidates one page `times` times while clients read it from both gateways. Resolves with all responses, and with the
 * milliseconds after which each revalidation had reached all clients.
 */
export async function revalidateOften(stage: CachedStage, times: number) {
  const name = 'often'
  const [one, two] = stage.gateways
  await stage.warm([name])
  const readers = startReaders(stage, { names: [name], lanes: 1, pauseMs: 1 })
  const raises: { number: number; raisedAt: number }[] = []
  const own: Reading[] = []
  for (let time = 0; time < times; time++) {
    const by = time % 2 === 0 ? 'path' : 'tag'
    raises.push(await raiseShown(stage, name, { by, through: time % 4 < 2 ? one : two }))
    own.push(
      ...(await Promise.all([one, two].flatMap((from) => [stage.read(name, from), stage.read(name, from, 'data')]))),
    )
  }
  const readings = [...own, ...(await readers.stop())]
  const lateMs = raises.map(({ number, raisedAt }) =>
    Math.max(0, ...readings.filter((each) => (each.number ?? 0) < number).map(({ sentAt }) => sentAt - raisedAt)),
  )
  return { readings, lateMs: lateMs.sort((left, right) => left - right) }
}

/** The page data in the action's response has the new number. */
async function raiseShown(stage: CachedStage, ...args: Parameters<CachedStage['raise']>): Promise<Raised> {
  const raised = await stage.raise(...args)
  if (raised.shown !== raised.number) throw new Error(`the response shows ${raised.shown} after ${raised.number}`)
  return raised
}

/**
 * Revalidates pages while a gateway and a renderer are paused, so many times and so many at a time, then resumes both.
 * Among the responses are those to requests that the paused processes had begun to receive before the first revalidation
 * and receive whole after the last: they read these requests before the messages of the feed.
 */
export async function revalidateWhilePaused(
  stage: CachedStage,
  { times, together }: { times: number; together: number },
) {
  const names = Array.from({ length: 10 }, (_, number) => `paused-${number}`)
  const [awake, paused] = stage.gateways
  // The first address of the name.
  const renderer = stage.fleet.members('renderer')[0]!
  await stage.warm(names)
  const pausedId = paused.child.pid!
  const frozen = [pausedId, ...childrenOf(pausedId, ''), renderer.child.pid!]
  const waiting: Promise<Reading>[] = []
  const readings: Reading[] = []
  const opened = names.flatMap((name) => [stage.openRead(name, paused), stage.openRead(name, renderer)])
  // Both accept the connections.
  await sleep(50)
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  for (const { begin } of opened) begin()
  try {
    for (let time = 0; time < times; time += together) {
      const changed = Array.from({ length: together }, (_, at) => names[(time + at) % names.length]!)
      // The actions service may have to wait for the paused renderer: then the response has no page data (FRESH_DATA_MS).
      const raised = await Promise.all(changed.map((name) => stage.raise(name)))
      for (const { shown, number } of raised)
        if (shown !== undefined && shown !== number) throw new Error(`the response shows ${shown} after ${number}`)
      waiting.push(...changed.flatMap((name) => [stage.read(name, paused), stage.read(name, paused, 'data')]))
      readings.push(...(await Promise.all(changed.map((name) => stage.read(name, awake)))))
    }
    waiting.push(...opened.map(({ finish }) => finish()))
    await sleep(50)
  } finally {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
  }
  const resumed = names.flatMap((name) => [...stage.gateways, renderer].map((from) => stage.read(name, from)))
  readings.push(...(await Promise.all([...waiting, ...resumed])))
  await stage.warm(names)
  return readings
}

/** Revalidates data of `cached` so many times, and reads it from every renderer and through the gateways. */
export async function revalidateShared(stage: CachedStage, times: number): Promise<Reading[]> {
  const readings: Reading[] = []
  const from = [...stage.fleet.members('renderer'), ...stage.gateways, ...stage.gateways]
  for (let time = 0; time < times; time++) {
    await stage.raise('shared', { by: 'tag' })
    readings.push(...(await Promise.all(from.map((member) => stage.read('shared', member, 'data')))))
  }
  return readings
}

/** What may happen to the state Redis. Each resolves when there is a server again. */
export const STORE_FAULTS = {
  'loses all keys': ({ redis }) => redis.flush(),
  'restarts empty': ({ redis }) => redis.restart(() => rm(redis.dataDir, { recursive: true })),
  restarts: ({ redis }) => redis.restart(),
  'is replaced by an earlier copy': async (stage) => {
    const { redis } = stage
    const copy = `${redis.dataDir}.copy`
    // Every write is on disk before its reply.
    redis.pause()
    await cp(redis.dataDir, copy, { recursive: true })
    redis.resume()
    await raiseAll(stage, LOST)
    await redis.restart(async () => {
      await rm(redis.dataDir, { recursive: true })
      await cp(copy, redis.dataDir, { recursive: true })
    })
  },
} satisfies Record<string, (stage: CachedStage) => Promise<void>>

/** Pages that are revalidated before a fault, and before the fault alone; during the fault; after the fault. */
const BEFORE = ['store-before-0', 'store-before-1']
const LOST = ['store-lost-0', 'store-lost-1']
const DURING = ['store-during-0', 'store-during-1']
const AFTER = ['store-after-0', 'store-after-1']
const NEVER = ['store-never-0', 'store-never-1']

const raiseAll = (stage: CachedStage, names: readonly string[]) => Promise.all(names.map((name) => stage.raise(name)))

/** Lets the fault happen to warm gateways with clients that read; resolves with all responses. */
export async function faultStore(stage: CachedStage, fault: (stage: CachedStage) => Promise<void>): Promise<Reading[]> {
  const names = [...BEFORE, ...LOST, ...DURING, ...AFTER, ...NEVER]
  await stage.warm(names)
  const readers = startReaders(stage, { names })
  await raiseAll(stage, BEFORE)
  const happening = fault(stage)
  await raiseAll(stage, DURING)
  await happening
  // Immediately: processes have not read the store yet.
  await raiseAll(stage, AFTER)
  await sleep(300)
  await stage.warm(names)
  return readers.stop()
}

/**
 * Kills all renderers, revalidates a page that both gateways keep, reads for so long, and starts other renderers. Resolves,
 * after the page is there again, with the responses from before it was: of pages that were not revalidated and of this one.
 */
export async function withoutRenderers(stage: CachedStage, withoutMs: number) {
  const { fleet, gateways } = stage
  const names = ['kept-0', 'kept-1']
  await stage.warm([...names, 'changed'])
  const killed = fleet.members('renderer')
  await Promise.all(killed.map(fleet.kill))
  const { number } = await stage.raise('changed')
  const readers = startReaders(stage, { names })
  const changed: Reading[] = []
  const end = performance.now() + withoutMs
  // Each request waits some seconds for a renderer.
  const readChanged = (gateway: Member) => [stage.read('changed', gateway), stage.read('changed', gateway, 'data')]
  do changed.push(...(await Promise.all(gateways.flatMap(readChanged))))
  while (performance.now() < end)
  await Promise.all(killed.map(fleet.forget))
  await Promise.all(killed.map(() => stage.startMore('renderer')))
  for (const gateway of gateways)
    await until('the page again', async () => (await stage.read('changed', gateway)).number === number)
  return { kept: await readers.stop(), changed }
}

/** The state Redis is away for so long. */
export const awayFor =
  (awayMs: number) =>
  async (stage: CachedStage): Promise<void> => {
    await stage.redis.restart(async () => {
      await sleep(awayMs / 2)
      await raiseAll(stage, LOST)
      await sleep(awayMs / 2)
    })
  }
