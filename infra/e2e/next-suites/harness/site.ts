// A running site as the behaviours see it: over HTTP, and in a page of Chromium.

import type { Browser } from 'playwright-core'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { unescapeHtml } from '../../harness/http.ts'
import type { BrowserSite, HttpSite, PageState, StartedSite } from './behaviour.ts'

export async function createHttpSite({ origin, log }: StartedSite, basePath = ''): Promise<HttpSite> {
  const fetchPath: HttpSite['fetch'] = (path, init) => fetch(origin + path, { redirect: 'manual', ...init })
  const text: HttpSite['text'] = async (path, init) => (await fetchPath(path, init)).text()
  const buildId = readBuildId(await (await fetch(`${origin}${basePath}/probe`)).text())
  return {
    origin,
    buildId,
    log,
    fetch: fetchPath,
    text,
    stateOf: async (path) => readState(await text(path)),
    async data(path) {
      const [pathname = '', ...query] = path.split('?')
      const target = [`${basePath}/_next/data/${buildId}${pathname}.json`, ...query].join('?')
      return (await fetchPath(target)).json() as ReturnType<HttpSite['data']>
    },
  }
}

/** A new page of the browser on the site. */
export async function openBrowserSite(site: HttpSite, browser: Browser, timeout: number) {
  const { page, documents, faults, close } = await openPage(browser)
  page.setDefaultTimeout(timeout)
  const browserSite: BrowserSite = {
    ...site,
    page,
    documents,
    faults,
    async open(path, selector = '#state') {
      await page.goto(site.origin + path)
      await hydrated(page, selector, timeout)
    },
    state: async () => JSON.parse((await page.locator('#state').textContent()) ?? '') as PageState,
    address: () => page.url().slice(site.origin.length),
    patience: { timeout },
  }
  return { site: browserSite, close }
}

/** The id of the build in the data of hydration, which both write as Next.js does. */
function readBuildId(html: string): string {
  const found = /"buildId":"([^"]+)"/.exec(html)?.[1]
  if (!found) throw new Error(`/probe has no build id: ${html.slice(0, 2000)}`)
  return found
}

function readState(html: string): PageState {
  const found = /<pre id="state">([\s\S]*?)<\/pre>/.exec(html)?.[1]
  if (found === undefined) throw new Error(`the page shows no state: ${html.slice(0, 2000)}`)
  return JSON.parse(unescapeHtml(found)) as PageState
}
