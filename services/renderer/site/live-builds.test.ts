// Which builds have a ready renderer, in a real Redis with the users of the stack (O4).

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLiveBuilds, NO_OTHER_BUILDS } from './live-builds.ts'

const lines: string[] = []
const log = createLog('renderer', 'info', { write: (line) => void lines.push(line) })

describe.skipIf(!hasRedis())('live builds', () => {
  let server: StackRedis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
  })
  afterAll(() => server.stop())
  const open = (build: string) => createLiveBuilds(server.urlOf('renderer'), build, log)

  it('O4 names the other builds with a ready renderer while their keys live', async () => {
    const [one, two, same] = [open('b1'), open('b2'), open('b1')]
    // Before its connection is open.
    one.announce()
    await expect.poll(() => two.others()).toEqual(['b1'])
    expect(await same.others()).toEqual([])
    for (const each of [one, two, same]) each.close()
    await server.flush()
    const later = open('b2')
    expect(await later.others()).toEqual([])
    later.close()
  })

  it('O4 says once that the user may not use the keys, and knows no other build', async () => {
    // Another user of the stack, as the renderer of a Redis with the users of an earlier version.
    const builds = createLiveBuilds(server.urlOf('gateway'), 'b1', log)
    expect(await builds.others()).toEqual([])
    builds.announce()
    expect(await builds.others()).toEqual([])
    expect(lines.filter((line) => line.includes('live-builds-refused'))).toHaveLength(1)
    builds.close()
  })

  it('O4 rejects while the state store does not respond', async () => {
    const builds = createLiveBuilds(new URL('redis://renderer:x@127.0.0.1:1'), 'b1', log)
    await expect(builds.others()).rejects.toThrow('the state store does not respond')
    builds.close()
  })
})

it('O4 knows no other build without a shared store', async () => {
  expect(await NO_OTHER_BUILDS.others()).toEqual([])
})
