// What the development feed sends, when, and for whom a change waits (V1).

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { beforeEach, expect, test } from 'vitest'
import { createDevFeed, type DevFeed } from './dev-feed.ts'

const manifestOf = (buildId: string) => ({ buildId }) as Manifest
const NONE = { name: 'images', revision: -1, version: -1 }

let feed: DevFeed

beforeEach(() => {
  const changedSince = (version: number) => (version === 1 ? ['/app/pages/index.tsx'] : undefined)
  feed = createDevFeed({ first: { version: 1, manifest: manifestOf('a') }, changedSince, entry: 'e', holdMs: 100 })
})

/** The service has the state; its next request waits. */
async function follow(name: string) {
  const { revision, version } = await feed.next({ ...NONE, name })
  return feed.next({ name, revision, version })
}

/** Whether the promise is settled after all that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return (
    (await Promise.race([promise.then(() => true), new Promise((resolve) => setTimeout(resolve, 20, false))])) === true
  )
}

test('V1 sends the state at once to a service that has none, with everything to load', async () => {
  expect(await feed.next(NONE)).toEqual({
    revision: expect.any(Number),
    version: 1,
    manifest: manifestOf('a'),
    entry: 'e',
  })
})

test('V1 sends the next state with the files that changed, and the same state after the time limit', async () => {
  const waiting = follow('images')
  expect(await isSettled(waiting)).toBe(false)
  void feed.publish({ version: 2, manifest: manifestOf('b') })
  const next = await waiting
  expect(next).toMatchObject({ version: 2, manifest: manifestOf('b'), files: ['/app/pages/index.tsx'] })
  expect((await feed.next({ ...NONE, revision: next.revision, version: 2 })).revision).toBe(next.revision)
})

test('V1 says nothing for a state that is the same', async () => {
  const waiting = follow('images')
  await feed.publish({ version: 1, manifest: manifestOf('a') })
  expect(await isSettled(waiting)).toBe(false)
  const { revision } = await waiting
  void feed.publish({ version: 1, manifest: manifestOf('public file changed') })
  expect((await feed.next({ ...NONE, revision, version: 1 })).manifest.buildId).toBe('public file changed')
})

test('V1 a change is published when each service that follows has it, and none waits for one that is gone', async () => {
  const [images, gateway] = [follow('images'), follow('gateway')]
  const published = feed.publish({ version: 2, manifest: manifestOf('b') })
  const { revision } = await images
  void feed.next({ name: 'images', revision, version: 2 })
  await gateway
  expect(await isSettled(published)).toBe(false)
  void feed.next({ name: 'gateway', revision, version: 2 })
  expect(await isSettled(published)).toBe(true)

  const startedAt = performance.now()
  await feed.publish({ version: 3, manifest: manifestOf('c') })
  expect(performance.now() - startedAt).toBeGreaterThan(400)
  expect(await isSettled(feed.publish({ version: 4, manifest: manifestOf('d') }))).toBe(true)
})
