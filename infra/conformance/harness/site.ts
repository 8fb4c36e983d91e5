// A running site as the behaviours see it: over HTTP, and in a page of Chromium.

import { hydrated, type WatchedPage } from '../../e2e/harness/chromium.ts'
import { unescapeHtml } from '../../e2e/harness/http.ts'
import type { BrowserSite, HttpSite, PageState, StartedSite } from './behaviour.ts'

/** Both serve programs that are no browser in another way. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

export async function createHttpSite({ origin, log }: StartedSite, basePath = ''): Promise<HttpSite> {
  const fetchPath: HttpSite['fetch'] = (path, init) => {
    const headers = new Headers({ 'user-agent': BROWSER })
    new Headers(init?.headers).forEach((value, name) => {
      headers.set(name, value)
    })
    return fetch(origin + path, { redirect: 'manual', ...init, headers })
  }
  const text: HttpSite['text'] = async (path, init) => (await fetchPath(path, init)).text()
  const buildId = readBuildId(await (await fetch(`${origin}${basePath}/probe`)).text())
  const dataAt: HttpSite['dataAt'] = (path) => {
    const [pathname = '', ...query] = path.split('?')
    return [`${basePath}/_next/data/${buildId}${pathname}.json`, ...query].join('?')
  }
  return {
    origin,
    buildId,
    log,
    fetch: fetchPath,
    text,
    dataAt,
    stateOf: async (path) => readState(await text(path)),
    data: async (path) => (await fetchPath(dataAt(path))).json() as ReturnType<HttpSite['data']>,
  }
}

/** A history of 50 entries, the limit of Chromium, grows no more: a behaviour that counts entries needs room for its own. */
const MOST_ENTRIES = 25

/**
 * The site in a page of the browser, which is emptied. Rejects where another navigation of the page fails meanwhile, and
 * where the history of the page is too long for another behaviour.
 */
export async function openBrowserSite(site: HttpSite, watched: WatchedPage, timeout: number): Promise<BrowserSite> {
  const { page, documents, requests, faults } = watched
  await page.goto('about:blank')
  if ((await page.evaluate(() => history.length)) > MOST_ENTRIES) throw new Error('the history of the page is too long')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().setOffline(false)
  await page.context().clearCookies()
  documents.length = 0
  requests.length = 0
  faults.length = 0
  page.setDefaultTimeout(timeout)
  return {
    ...site,
    page,
    documents,
    requests,
    faults,
    async open(path, selector = '#state') {
      await page.goto(site.origin + path)
      await hydrated(page, selector, timeout)
      // Set by an effect, a moment after the element is live.
      await page.waitForFunction('window.next?.router', undefined, { timeout })
    },
    state: async () => JSON.parse((await page.locator('#state').textContent()) ?? '') as PageState,
    address: () => page.url().slice(site.origin.length),
    patience: { timeout },
  }
}

/** The id of the build in the data of hydration, which both write as Next.js does. */
function readBuildId(html: string): string {
  const found = /"buildId":"([^"]+)"/.exec(html)?.[1]
  if (!found) throw new Error(`/probe has no build id: ${html.slice(0, 2000)}`)
  return found
}

export function readState(html: string): PageState {
  const found = /<pre id="state">([\s\S]*?)<\/pre>/.exec(html)?.[1]
  if (found === undefined) throw new Error(`the page shows no state: ${html.slice(0, 2000)}`)
  return JSON.parse(unescapeHtml(found)) as PageState
}
