// 5 000 requests that are never sent to their end, from 20 addresses, while another client uses the site.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '../faults/replicas/fleet.ts'
import { type Attack, attack, descriptorsOf, memoryOf, startSteady } from '../faults/replicas/half-sent.ts'
import { type Stage, setStage, until } from '../faults/replicas/stage.ts'

const COUNT = 5000
const PER_SECOND = 100
const HELD_MS = 45_000
/** 32 MiB of bodies that wait, and 32 KiB for each of the 2000 connections that remain. */
const MOST_MORE_MIB = 96
/** For three times as many: V8 collects what has ended when it has grown by more than that. */
const MOST_MORE_AGAIN_MIB = 128
/** Idle connections that the gateway keeps to the services, and those of the steady client. */
const KEPT_CONNECTIONS = 256

describe(`${COUNT} half-sent requests next to ${PER_SECOND} requests a second`, () => {
  let stage: Stage
  let gateway: Member
  let actionId: string

  beforeAll(async () => {
    stage = await setStage({ replicas: 1 })
    gateway = stage.fleet.members('gateway')[0]!
    actionId = stage.actionIds.get('trace') ?? ''
    // Memory that ordinary load causes is not counted.
    const busy = startSteady(gateway, 10 * PER_SECOND, actionId)
    await pause(5000)
    await busy.stop()
    expect(busy.faults).toEqual([])
  })
  afterAll(() => stage?.close())

  const endure = async (isReconnecting: boolean, run: (clients: Attack) => Promise<void>) => {
    const before = { memory: await memoryOf(gateway), descriptors: await descriptorsOf(gateway) }
    const most = { ...before }
    const sample = setInterval(async () => {
      most.memory = Math.max(most.memory, await memoryOf(gateway))
      most.descriptors = Math.max(most.descriptors, await descriptorsOf(gateway))
    }, 250)
    const steady = startSteady(gateway, PER_SECOND, actionId)
    const clients = await attack(gateway, { count: COUNT, actionId, isReconnecting })
    try {
      await run(clients)
      const ended = clients.ended()
      const startedAt = performance.now()
      if (isReconnecting) clients.leave()
      const isBack = async () => (await descriptorsOf(gateway)) <= before.descriptors + KEPT_CONNECTIONS
      await until('the descriptors back', isBack)
      const backMs = Math.round(performance.now() - startedAt)
      const results = await steady.stop()
      console.log(JSON.stringify({ before, most, ended, backMs, ...results, faults: steady.faults.length }))
      expect(steady.faults).toEqual([])
      expect(most.memory - before.memory).toBeLessThan(isReconnecting ? MOST_MORE_AGAIN_MIB : MOST_MORE_MIB)
    } finally {
      clients.leave()
      clearInterval(sample)
      await steady.stop()
    }
  }

  test('A7 G8 that never stop by themselves are ended by the limits within 30 s, and cost others nothing', () =>
    endure(false, async () => {}))

  test('A7 G8 that are sent again whenever they are ended leave nothing behind, and cost others nothing', () =>
    endure(true, async () => void (await pause(HELD_MS))))
})
