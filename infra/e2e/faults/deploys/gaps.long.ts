// A deploy of a site with middleware (O12): what an old gateway sends in the gap in which only replicas of the new build run,
// and for what a new gateway waits.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../harness/http.ts'
import type { Member } from '../replicas/fleet.ts'
import { until } from '../replicas/stage.ts'
import { type GuardedStage, setGuardedStage, urlOf } from './guarded-stage.ts'
import { buildOf, faultOf, faultsOfAll, PATHS } from './guarded-traffic.ts'

let stage: GuardedStage
let old: Record<'renderer' | 'actions' | 'gateway', Member>
beforeAll(async () => {
  stage = await setGuardedStage({ guarding: 'two', environment: { DRAIN_DELAY_MS: '500', DRAIN_DEADLINE_MS: '5000' } })
  const { start, one } = stage
  const [renderer, actions] = await Promise.all([start('renderer', one), start('actions', one), start('images', one)])
  old = { renderer, actions, gateway: await start('gateway', one) }
})
afterAll(() => stage?.close())

const builds = () => [stage.one, stage.two]

/** By path: the build of the response and its status. */
async function responses(gateway: Member): Promise<Record<string, string>> {
  const entries = PATHS.map(async (path) => {
    const received = await send(urlOf(gateway), path)
    return [path, `${buildOf(received, builds())?.name ?? '-'} ${received.status}`]
  })
  return Object.fromEntries(await Promise.all(entries))
}

test('O12 a new gateway waits for a renderer and actions of its build, and says for what; the old one serves', async () => {
  const { fleet, two, start } = stage
  const starting = start('gateway', two)
  const next = await new Promise<Member>((done) => {
    const find = () => fleet.members('gateway').find((member) => member !== old.gateway)
    const timer = setInterval(() => {
      const member = find()
      if (!member) return
      clearInterval(timer)
      done(member)
    }, 20)
  })
  const inner = `http://${next.address}:${next.innerPort}`
  const waiting = [
    expect.stringContaining(`no replica of renderer of build ${two.id} has been ready yet`),
    expect.stringContaining(`no replica of actions of build ${two.id} has been ready yet`),
  ]
  await until('the new gateway says for what it waits', async () =>
    (
      await fetch(`${inner}/readyz`).then(
        (response) => response.text(),
        () => '',
      )
    ).includes(`serve ${stage.one.id}`),
  )
  expect(await (await fetch(`${inner}/readyz`)).json()).toMatchObject({ ready: false, waiting })
  expect(await (await fetch(`${inner}/status`)).json()).toMatchObject({ waiting })
  await until('the new gateway logs for what it waits', () => next.output().includes('"event":"waiting"'))
  expect(await faultsOfAll(urlOf(old.gateway), builds())).toEqual([])
  next.child.kill('SIGKILL')
  await fleet.forget(next)
  await starting.catch(() => undefined)
})

test('O12 a renderer at SIGTERM serves its gateway, of which the resolver has dropped it, up to its deadline', async () => {
  const { fleet, one, two, start } = stage
  await Promise.all([start('renderer', two), start('actions', two)])
  for (const member of [old.renderer, old.actions]) {
    member.child.kill('SIGTERM')
    await fleet.forget(member)
  }
  const began = performance.now()
  const seen = new Set<string>()
  // Longer than the delay and two look-ups.
  while (performance.now() - began < 2300) {
    for (const path of ['/', '/secret', '/me', '/api/secret']) {
      const received = await send(urlOf(old.gateway), path)
      expect(faultOf(path, received, [one, two])).toBeUndefined()
      seen.add(String(buildOf(received, builds())?.name))
    }
  }
  expect([...seen]).toEqual(['one'])
})

test('O12 X15 in the gap an old gateway sends what the new build sends, after the middleware of the new build', async () => {
  const { fleet, two } = stage
  const faults: string[] = []
  while (old.renderer.child.exitCode === null || old.actions.child.exitCode === null)
    // Not the files of the old build: only the old build has them until its renderers end.
    for (const path of ['/', '/secret', '/me', '/form', '/api/hello', '/api/secret']) {
      const fault = faultOf(path, await send(urlOf(old.gateway), path), builds())
      if (fault !== undefined) faults.push(fault)
    }
  expect(faults).toEqual([])
  expect(await responses(old.gateway)).toEqual({
    '/': 'two 200',
    '/secret': '- 401',
    '/me': 'two 200',
    '/form': 'two 200',
    '/api/hello': 'two 200',
    '/api/secret': 'two 401',
    // No gateway of the new build has published its own, and the name says nothing of the content.
    '/note.txt': 'two 503',
    '/secret.txt': '- 401',
    '/same.txt': 'two 200',
  })
  const { text } = await send(urlOf(old.gateway), '/note.txt')
  expect(text).not.toContain('note of')
  for (const path of ['/%73ecret', '//secret', '/secret/', '/secret?x', '/_portico/data/x/secret.json', '/./secret'])
    expect((await send(urlOf(old.gateway), path)).text).not.toContain('secret of')
  const gateway = await stage.start('gateway', two)
  await fleet.stop(old.gateway)
  expect(await faultsOfAll(urlOf(gateway), builds())).toEqual([])
})
