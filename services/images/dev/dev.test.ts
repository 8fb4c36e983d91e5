// What images do when the folder under development changes: which variants are purged, and when settings are read
// again.

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFilePurges, type Purges } from '../cache/purges.ts'
import { followBuild } from './dev.ts'

let dir: string
let purges: Purges
let server: Server
let manifest: Manifest
let made: Manifest[]
let closed: number

/** The part of a manifest that the images service reads. */
function manifestWith(etags: Record<string, string>, basePath = ''): Manifest {
  const files = Object.entries(etags).map(([path, etag]) => [path, { size: 1, type: 'image/png', etag, encodings: {} }])
  return { basePath, images: DEFAULT_IMAGES, publicFiles: Object.fromEntries(files) } as Manifest
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-dev-images-'))
  purges = await createFilePurges(dir, createLog('images', 'silent'))
  made = []
  closed = 0
  manifest = manifestWith({})
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(dir, { recursive: true, force: true })
})

async function follow(first: Manifest): Promise<() => Promise<string>> {
  manifest = first
  const app = followBuild(
    () => ({ dir, manifest }),
    purges,
    (settings) => {
      made.push(settings)
      const name = `handler ${made.length}`
      return { handler: (_request, response) => void response.end(name), close: () => void closed++ }
    },
  )
  server = createServer(app.handler)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return async () => (await fetch(`http://127.0.0.1:${port}/`)).text()
}

const isPurged = (source: string) => purges.isPurged({ source, tags: [], generation: 0 })

test.each([
  ['/a.png', '/a.png'],
  ['/deep/ä b.png', '/deep/%C3%A4%20b.png'],
  ['/what?.png', '/what%3F.png'],
  ['/no#1.png', '/no%231.png'],
  ['/100%.png', '/100%25.png'],
  ['/a,b+c.png', '/a,b+c.png'],
])('V1 I9 purges the variants of the changed public image %s', async (path, source) => {
  const request = await follow(manifestWith({ [path]: '"one"', '/other.png': '"one"' }, '/shop'))
  await request()
  expect(isPurged(`/shop${source}`)).toBe(false)
  manifest = manifestWith({ [path]: '"two"', '/other.png': '"one"' }, '/shop')
  await request()
  expect(isPurged(`/shop${source}`)).toBe(true)
  expect(isPurged('/shop/other.png')).toBe(false)
})

test('V1 reads the settings again only when the settings have changed', async () => {
  const request = await follow(manifestWith({ '/a.png': '"one"' }))
  manifest = manifestWith({ '/a.png': '"two"' })
  expect(await request()).toBe('handler 1')
  manifest = { ...manifest, images: { ...DEFAULT_IMAGES, qualities: [10] } }
  expect(await request()).toBe('handler 2')
  expect(await request()).toBe('handler 2')
  expect(closed).toBe(1)
})
