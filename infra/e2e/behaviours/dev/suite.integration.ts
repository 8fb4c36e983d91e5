// The end-to-end suite against the development server: a page that works there and not in production, or the reverse,
// fails here or in the suite's other runs (V1).

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runs } from '@portico/shared/kit/testing/runs.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { send } from '../../harness/http.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { describeSite } from '../http/suite.ts'
import { listenAsPage } from './dev-socket.ts'

let stack: EmbeddedStack
let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('site')
  await copyApp(FIXTURE.appDir, folder.path)
  // A route of Next.js's App Router.
  await mkdir(join(folder.path, 'app'))
  await writeFile(join(folder.path, 'app/page.tsx'), '')
  stack = await startEmbedded({ appDir: folder.path, args: ['--dev'] })
}, 180_000)

afterAll(async () => {
  await stack?.stop()
  await folder?.remove()
})

const baseUrl = () => stack?.baseUrl ?? ''
describeSite('under development', { site: FIXTURE, isDevelopment: true, baseUrl })

describe('under development', () => {
  test('F2 the start names a route of Next.js that is not read', () => {
    const msg = expect.stringContaining('app/page.tsx: not read: the App Router is not supported')
    expect(stack.lines).toContainEqual(expect.objectContaining({ level: 'warn', msg }))
  })

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

  test('K2 runs pages and API handlers in the app folder', async () => {
    await mkdir(join(folder.path, 'content'), { recursive: true })
    await writeFile(join(folder.path, 'content/text.md'), 'read at run time')
    const read = "import { readFileSync } from 'node:fs'\nconst read = () => readFileSync('content/text.md', 'utf8')\n"
    const page = `${read}export const getServerSideProps = () => ({ props: { text: read() } })
export default ({ text }: { text: string }) => <p>{text}</p>\n`
    await writeFile(join(folder.path, 'pages/content.tsx'), page)
    const handler = `${read}export default (_request: unknown, response: { json(value: unknown): void }) => response.json(read())\n`
    await writeFile(join(folder.path, 'pages/api/content.ts'), handler)
    const textOf = async (path: string) => (await send(baseUrl(), path)).text
    await expect.poll(() => textOf('/content'), { timeout: 30_000 }).toContain('<p>read at run time</p>')
    await expect.poll(() => textOf('/api/content'), { timeout: 30_000 }).toBe('"read at run time"')
  })

  test.each(['getServerSideProps', 'getStaticProps'])(
    'D7 refuses what JSON would change in the props of %s, in documents and in page data',
    async (name) => {
      const listener = await listenAsPage(baseUrl())
      const file = `pages/props-${name.toLowerCase()}.tsx`
      const path = file.slice('pages'.length, -'.tsx'.length)
      const data = '{ props: { list: [{ when: new Date(0), gone: undefined }] } }'
      await writeFile(
        join(folder.path, file),
        `// A report.\nexport async function ${name}() {\n  return ${data}\n}\nexport default () => null\n`,
      )
      const page = () => send(baseUrl(), path)
      await expect.poll(async () => (await page()).status, { timeout: 30_000 }).toBe(500)
      const message = `${name} returned values that cannot be sent as JSON:
props.list[0].when: a Date; use date.toISOString()
props.list[0].gone: undefined; leave the member out or use null`
      await listener.until((each) => {
        if (each.kind !== 'error' || each.error.message !== message) return false
        expect(each.error).toMatchObject({ source: 'data', file, line: 2 })
        return true
      })
      listener.close()
      const address = dataUrl('', String((await page()).headers[HEADERS.build]), path)
      expect((await send(baseUrl(), address)).status).toBe(500)
    },
  )
  test('V1 F3 links the stylesheets of a build, in the same order, on every page', async () => {
    const dist = join(FIXTURE.appDir, 'dist')
    // The cast: the file of a build that this run has made.
    const { pages, browserEntry } = JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8')) as Manifest
    const classesIn = (texts: string[]) => new Set(texts.join('\n').match(/\.[a-z][\w-]*(?=[^};]*\{)/gi))
    let compared = 0
    const COUNTS: Record<string, number> = { [FIXTURE.detail.route]: 2, '/ordered/first': 4, '/ordered/second': 3 }
    // Those with most sheets first: each page is compiled when it is requested.
    const sorted = pages.toSorted((one, other) => other.files.styles.length - one.files.styles.length)
    for (const { pattern, files } of sorted.slice(0, runs(6, sorted.length))) {
      const path = pattern === FIXTURE.detail.route ? FIXTURE.detail.path : pattern
      const { status, text } = await send(baseUrl(), path)
      // A redirect, a page that throws, or a dynamic route whose paths this test does not know.
      if (status !== 200) continue
      compared++
      const links = [...text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map((match) => match[1] ?? '')
      const linked = await Promise.all(links.map(async (link) => (await send(baseUrl(), link)).text))
      const names = [...new Set([...browserEntry.styles, ...files.styles])]
      const built = await Promise.all(names.map((name) => readFile(join(dist, 'client/static', name), 'utf8')))
      expect([...classesIn(linked)], path).toEqual([...classesIn(built)])
      expect(linked, path).toHaveLength(COUNTS[pattern] ?? 1)
    }
    expect(compared).toBeGreaterThan(runs(2, 15))
  })

  test('O5 ends in order after SIGTERM', async () => {
    expect(await stack.stop()).toBe(0)
  })
})
