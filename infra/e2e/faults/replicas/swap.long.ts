// A tab of one build while another build takes the site over: whatever the client does next goes on, without an
// uncaught error, with one document load at most, and with what was typed still there.

import { join } from 'node:path'
import { halves } from '@portico/images/testing/source-images.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, launchChromium, openPage, type WatchedPage } from '../../harness/chromium.ts'
import { makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { OWN_SIZES, PLAN, pictureFiles } from '../../sites/written/pictures.ts'
import { buildTracesSite } from '../../sites/written/traces.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { createFleet, type Fleet, SERVICES, type ServiceName } from './fleet.ts'
import { until } from './stage.ts'
import { type BuildSeen, watchBuilds } from './watch-builds.ts'

/** Differs between the builds in page code, shared code and a chunk that is loaded late. */
const filesOf = (build: string) => ({
  'components/mark.tsx': `export const MARK = 'build ${build}'\n`,
  'components/late.tsx': `export default function Late() { return <p id="late">Late of build ${build}</p> }\n`,
  'pages/about.tsx': `import { MARK } from '../components/mark.tsx'

export default function About() {
  return <><title>About</title><h1>About</h1><p id="mark">{MARK}</p></>
}
`,
  'pages/kept.tsx': `import { MARK } from '../components/mark.tsx'

export const getStaticProps = () => ({ props: { mark: 'build ${build}' } })

export default function Kept() {
  return <><title>Kept</title><p id="mark">{MARK}</p></>
}
`,
  'pages/late.tsx': `import { dynamic, Link } from 'portico'
import { useState } from 'react'
import { MARK } from '../components/mark.tsx'

const Late = dynamic(() => import('../components/late.tsx'))

export default function LatePage() {
  const [shown, setShown] = useState(false)
  return (
    <>
      <title>Late</title>
      <h1>Late page</h1>
      <p id="mark">{MARK}</p>
      <label>Typed <input id="typed" /></label>
      <Link id="to-item" href="/items/six?q=1#h" prefetch={false}>Item</Link>
      <Link id="to-about" href="/about?q=1#h" prefetch="intent">About</Link>
      <button type="button" id="show" onClick={() => setShown(true)}>Show</button>
      {shown && <Late />}
    </>
  )
}
`,
})

const BUILDS = ['before', 'after'] as const
type Build = (typeof BUILDS)[number]

/** Pages that are open in a separate tab before the swap, by the deed in the tab after the swap. */
const TABS = { link: '/late', prefetch: '/late', chunk: '/late', form: '/things/1', forms: '/board', history: '/late' }
type Tab = keyof typeof TABS

let folder: TemporaryFolder
let fleet: Fleet
let balancer: Balancer
let browser: Browser
/** Addresses of images in a page of the build before, none of which was requested before the swap. */
let images: string[]
/** What the documents of each build had during the first swap. */
let seen: Map<string, BuildSeen>
const tabs = new Map<string, WatchedPage>()

beforeAll(async () => {
  folder = await makeFolder('swap')
  const pictures = { imported: await halves(1000, 500, 'png'), inPublic: await halves(1000, 400, 'png') }
  const files = { before: { ...filesOf('before'), ...pictureFiles(pictures) }, after: filesOf('after') }
  for (const build of BUILDS) await buildTracesSite(siteOf(build), files[build])
  fleet = await createFleet({ appDir: siteOf('before'), dataDir: join(folder.path, 'data') })
  for (const service of SERVICES) await fleet.start(service)
  balancer = await startBalancer(() => fleet.members('gateway'))
  images = await imagesOf('/photo')
  browser = await launchChromium()
  for (const [name, path] of Object.entries(TABS)) {
    const tab = await openPage(browser)
    tabs.set(name, tab)
    await tab.page.goto(balancer.baseUrl + path)
    await hydrated(tab.page, 'nav a')
  }
  seen = await swapTo('after', 'service by service')
})
afterAll(async () => {
  await browser?.close()
  balancer?.close()
  await fleet?.close()
  await folder?.remove()
})

/**
 * Starts every service with the other build, and stops the old replicas of a service when the new one is ready: service
 * by service, as a rolling update does, or all at once, where the gateway waits for the others (O12).
 */
async function swapTo(build: Build, how: 'service by service' | 'all at once'): Promise<Map<string, BuildSeen>> {
  const watch = watchBuilds(balancer.baseUrl, '/kept')
  const replace = async (service: ServiceName) => {
    const old = fleet.members(service)
    await fleet.start(service, { APP_DIR: siteOf(build) })
    await Promise.all(old.map((member) => fleet.stop(member)))
  }
  if (how === 'all at once') await Promise.all(SERVICES.toReversed().map(replace))
  else for (const service of SERVICES) await replace(service)
  const responses = () =>
    fetch(`${balancer.baseUrl}/about`).then(
      (response) => response.text(),
      () => '',
    )
  await until('the new build responds', async () => (await responses()).includes(`build ${build}`))
  return watch.stop()
}

function siteOf(build: Build): string {
  return join(folder.path, build, 'site')
}

/** The addresses in `srcset` of the images of a page. */
async function imagesOf(path: string): Promise<string[]> {
  const html = await (await fetch(balancer.baseUrl + path)).text()
  const sets = [...html.matchAll(/srcset="([^"]+)"/gi)].flatMap(([, set = '']) =>
    set.replaceAll('&amp;', '&').split(', '),
  )
  return sets.map((each) => each.split(' ')[0]!)
}

/** Every document, its scripts and its data are of the build that its header names. */
function expectNothingMixed(builds: Map<string, BuildSeen>, order: readonly Build[]): void {
  expect([...builds.values()].map(({ marks }) => [...marks])).toEqual(order.map((build) => [`build ${build}`]))
  for (const { marks, scripts, verdicts, data } of builds.values()) {
    expect([...data]).toEqual([...marks])
    expect(scripts.size).toBe(1)
    expect([...verdicts]).toContain('HIT')
  }
}

const tab = (name: Tab): WatchedPage => {
  const watched = tabs.get(name)
  if (!watched) throw new Error(`no tab ${name}`)
  return watched
}
const heading = (name: Tab, text: string) =>
  tab(name).page.locator('h1', { hasText: text }).waitFor({ timeout: 15_000 })

/** Nothing was thrown, and besides its first document the tab loaded so many. */
async function expectCalm(name: Tab, documents: number): Promise<void> {
  // What would go wrong a little later, as a reload, is waited for.
  await tab(name).page.waitForTimeout(500)
  expect(tab(name).faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
  expect(tab(name).documents.slice(1)).toHaveLength(documents)
}

describe('a tab of the build before', () => {
  test('N5 follows a link, query and hash kept, by one document load', async () => {
    const { page } = tab('link')
    await page.click('#to-item')
    await heading('link', 'Item six')
    await page.waitForURL(`${balancer.baseUrl}/items/six?q=1#h`)
    await expectCalm('link', 1)
  })

  test('P3 N5 prefetches in vain without a word, and still follows the link', async () => {
    const { page } = tab('prefetch')
    await page.hover('#to-about')
    await page.waitForTimeout(500)
    await expectCalm('prefetch', 0)
    await page.click('#to-about')
    await heading('prefetch', 'About')
    await page.waitForURL(`${balancer.baseUrl}/about?q=1#h`)
    await expectCalm('prefetch', 1)
    await expect.poll(() => page.locator('#mark').textContent()).toBe('build after')
  })

  test('G3 loads a chunk of its own build, and what was typed stays', async () => {
    const { page } = tab('chunk')
    await page.fill('#typed', 'half a sentence')
    await page.click('#show')
    await page.locator('#late').waitFor({ timeout: 15_000 })
    await expect.poll(() => page.locator('#late').textContent()).toBe('Late of build before')
    expect(await page.inputValue('#typed')).toBe('half a sentence')
    await expectCalm('chunk', 0)
  })

  test('A2 sends a form: what is refused stays in its field, what is taken was done once', async () => {
    const { page } = tab('form')
    await page.fill('#text', 'longer than the twenty letters allowed')
    await page.click('button[type="submit"]')
    await page.locator('[role=status]', { hasText: 'At most 20 characters.' }).waitFor({ timeout: 15_000 })
    expect(await page.inputValue('#text')).toBe('longer than the twenty letters allowed')
    await page.fill('#text', 'short enough')
    await page.click('button[type="submit"]')
    const notes = page.locator('#notes li', { hasText: 'short enough' })
    await notes.first().waitFor({ timeout: 15_000 })
    await expect.poll(() => notes.count()).toBe(1)
    await expectCalm('form', 0)
  })

  test('A2 keeps the values of another form of the page', async () => {
    const { page } = tab('forms')
    await page.fill('#leave input[name=text]', 'not sent yet')
    await page.fill('#pin input[name=text]', 'pinned after the swap')
    await page.click('#pin button')
    await page.locator('#notes li', { hasText: 'pinned after the swap' }).first().waitFor({ timeout: 15_000 })
    await expectCalm('forms', 0)
    expect(await page.inputValue('#leave input[name=text]')).toBe('not sent yet')
  })

  test('N2 goes back and forth between documents of both builds', async () => {
    const { page } = tab('history')
    await page.click('#to-item')
    await heading('history', 'Item six')
    await page.goBack()
    await heading('history', 'Late page')
    await page.goForward()
    await heading('history', 'Item six')
    expect(tab('history').faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
  })
})

describe('files of the build before', () => {
  test('I1 G3 images in widths and qualities that only that build allows are made after the swap', async () => {
    expect(images.map((image) => new URL(image, balancer.baseUrl).searchParams.get('w'))).toEqual(
      OWN_SIZES.widths.map(String),
    )
    const ofPublic = `/_portico/image?url=%2Fphoto.png&w=${OWN_SIZES.widths[0]}&q=${OWN_SIZES.quality}`
    for (const image of [...images, ofPublic]) {
      const response = await fetch(balancer.baseUrl + image, { headers: { accept: 'image/webp' } })
      expect([image, response.status, response.headers.get('content-type')]).toEqual([image, 200, 'image/webp'])
      await response.arrayBuffer()
    }
    expect((await fetch(`${balancer.baseUrl}/_portico/image?url=%2Fphoto.png&w=501`)).status).toBe(400)
  })

  test('G3 a public file that the build after does not have is sent', async () => {
    expect(await (await fetch(`${balancer.baseUrl}/plan.txt`)).text()).toBe(PLAN)
    expect((await fetch(`${balancer.baseUrl}/other.txt`)).status).toBe(404)
  })
})

describe('the page cache during a swap', () => {
  test('C2 O12 no document and no data mixes two builds, one service after the other or all at once', async () => {
    expectNothingMixed(seen, ['before', 'after'])
    expectNothingMixed(await swapTo('before', 'all at once'), ['after', 'before'])
  })
})
