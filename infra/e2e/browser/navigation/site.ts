// The second site with pages for the navigation tests, which no other test has a use for, and its visitors.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { type EmbeddedStack, startEmbedded } from '../../embedded-stack.ts'
import { copyApp, makeFolder } from '../../processes.ts'
import { FIXTURE } from '../../sites.ts'
import { hydrated, launchChromium, openPage, type WatchedPage } from '../chromium.ts'

const PAGES: Readonly<Record<string, string>> = {
  // Addresses that differ in query and hash only. The server says which query it saw.
  'parts.tsx': `import { Link, useNavigation, useRouter } from 'portico'
    export const getServerSideProps = async ({ query }) => ({ props: { seen: query.q ?? 'none' } })
    const HREFS = ['#end', '?q=1', '?q=1#end', '?q=2#end', '/parts', '/parts#end']
    export default function Parts({ seen }) {
      const { state } = useNavigation()
      const { asPath } = useRouter()
      return <div className="tall">
        <title>Parts</title>
        <h1>Parts</h1>
        <p id="seen">{seen}</p> <p id="path">{asPath}</p> <p id="state">{state}</p>
        {HREFS.map((href) => <Link key={href} href={href}>{href} </Link>)}
        <a id="plain" href="#end">plain</a>
        <p id="end" style={{ marginTop: '100rem' }}>End</p>
      </div>
    }`,
  // A shell whose data cannot be had, ever.
  'shell/[id].tsx': `export const getStaticPaths = async () => ({ paths: [], fallback: true })
    export const getStaticProps = async () => { throw new Error('no data') }
    export default () => <h1>Shell</h1>`,
  // A form that the page sends by itself: React does not reset it.
  'own-submit.tsx': `import { saveNote } from '../actions/notes.ts'
    export default function OwnSubmit() {
      const send = (event) => {
        event.preventDefault()
        void saveNote(new FormData(event.currentTarget))
      }
      return <form onSubmit={send}>
        <input name="note" aria-label="Note" />
        <button type="submit">Send</button>
        <button type="reset">Clear</button>
      </form>
    }`,
}

export interface NavigationSite {
  stack: EmbeddedStack
  browser: Browser
  /** A page that is live; its router may be on its way still. */
  open: (path: string, options?: BrowserContextOptions) => Promise<WatchedPage>
  /** A page whose router's code waits until `release` lets `answer` have it. */
  openEarly: (
    path: string,
    answer: (route: Route) => Promise<void>,
  ) => Promise<WatchedPage & { release: () => void; routerAsked: () => number }>
  stop: () => Promise<void>
}

export const DATA_OF_SIX = /\/_portico\/data\/[^/]+\/items\/six\.json/
export const ROUTER_CODE = /static\/framework-router-.*\.js/

export async function startNavigationSite(): Promise<NavigationSite> {
  const folder = await makeFolder('navigation')
  const appDir = join(folder.path, 'site')
  await copyApp(FIXTURE.appDir, appDir)
  for (const [name, text] of Object.entries(PAGES)) {
    const file = join(appDir, 'pages', name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const stack = await startEmbedded({ appDir })
  const browser = await launchChromium({ keepsPages: true })
  return {
    stack,
    browser,
    async open(path, contextOptions) {
      const watched = await openPage(browser, contextOptions)
      await watched.page.goto(stack.baseUrl + path)
      await hydrated(watched.page, 'nav a')
      return watched
    },
    async openEarly(path, answer) {
      const watched = await openPage(browser)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      let asked = 0
      await watched.page.route(ROUTER_CODE, async (route) => {
        asked++
        await released
        await answer(route).catch(() => {})
      })
      await watched.page.goto(stack.baseUrl + path)
      await hydrated(watched.page, 'nav a')
      return { ...watched, release, routerAsked: () => asked }
    },
    async stop() {
      await browser.close()
      await stack.stop()
      await folder.remove()
    },
  }
}

export const heading = (page: Page, text: string) => page.locator('h1', { hasText: text }).waitFor({ timeout: 10_000 })

/** Requests of these addresses wait until what is returned is called. */
export async function holdRequests(page: Page, address: string | RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await released
    // Given up by the page in the meantime.
    await route.continue().catch(() => {})
  })
  return release
}
