// The end-to-end suite against the development server: a page that works there and not in production, or the reverse,
// fails here or in the suite's other runs (V1).

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { send } from '../../harness/http.ts'
import { copyApp, makeFolder } from '../../harness/processes.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { describeSite } from '../http/suite.ts'

let stack: EmbeddedStack
let folder: Awaited<ReturnType<typeof makeFolder>>

beforeAll(async () => {
  folder = await makeFolder('site')
  await copyApp(FIXTURE.appDir, folder.path)
  stack = await startEmbedded({ appDir: folder.path, args: ['--dev'] })
}, 180_000)

afterAll(async () => {
  await stack?.stop()
  await folder?.remove()
})

const baseUrl = () => stack?.baseUrl ?? ''
describeSite('under development', { site: FIXTURE, isDevelopment: true, baseUrl })

describe('under development', () => {
  test('V1 serves the modules of a page, never stored by a cache', async () => {
    const page = await send(baseUrl(), FIXTURE.home.path)
    const scripts = [...page.text.matchAll(/(?:src|href)="(\/_portico\/dev\/[^"]+)"/g)].map((match) => match[1] ?? '')
    expect(scripts.length).toBeGreaterThan(1)
    for (const script of scripts) {
      const { status, headers } = await send(baseUrl(), script)
      expect(status, script).toBe(200)
      expect(headers['content-type'], script).toMatch(/^text\/(javascript|css)/)
      expect(headers['cache-control'], script).toMatch(/no-cache|no-store/)
    }
  })

  test('O5 ends in order after SIGTERM', async () => {
    expect(await stack.stop()).toBe(0)
  })
})
