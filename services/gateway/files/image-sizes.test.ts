import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { imageSizesPath, parseImageSizes } from '@portico/shared/wire/image-sources.ts'
import { afterAll, expect, test } from 'vitest'
import { all, send, startGateway, startUpstream } from '../testing/gateway-fixture.ts'
import { createDiskFileStore } from './file-store-disk.ts'
import { publishImageSizes } from './image-sizes.ts'

const folder = mkdtempSync(join(tmpdir(), 'image-sizes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const settings = (width: number) => ({ deviceSizes: [width], imageSizes: [16], qualities: [75] })
const DAYS = 24 * 60 * 60 * 1000

test('I1 G3 the listener of the images service has the sizes that builds of seven days allow', async () => {
  const upstream = await startUpstream('upstream')
  const store = createDiskFileStore(folder)
  await store.begin()
  const gateway = await startGateway({ upstreams: all(upstream), oldBuilds: store })
  expect((await send(gateway.sitePort, imageSizesPath(''))).status).toBe(404)
  let now = Date.now()
  const publish = (width: number) => publishImageSizes(store, settings(width), () => now)
  await publish(100)
  now += 3 * DAYS
  await publish(200)
  await publish(200)
  const listed = async () => {
    const response = await send(gateway.sitePort, imageSizesPath(''))
    expect([response.status, response.headers['cache-control']]).toEqual([200, 'private, no-store'])
    return parseImageSizes(response.text).map(({ widths, until }) => [widths, Math.round((until - now) / DAYS)])
  }
  expect(await listed()).toEqual([
    [[16, 200], 7],
    [[16, 100], 4],
  ])
  now += 5 * DAYS
  await publish(200)
  expect(await listed()).toEqual([[[16, 200], 7]])
  expect((await send(gateway.port, imageSizesPath(''))).status).toBe(404)
  await Promise.all([gateway.stop(), upstream.stop()])
})
