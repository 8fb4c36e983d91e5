// Redirects that data functions return, in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, Run } from '../../harness/behaviour.ts'

const AT = '/gssp-redirect'
const ABROAD = 'http://abroad.invalid/office'

function inBrowser(number: number, does: string, run: Run<BrowserSite>): Behaviour {
  return { id: `gssp-redirect-${number}`, does, via: 'browser', run }
}

/** Waits for a page of the site. */
async function arrivesAt(site: BrowserSite, path: string, state: object = { pathname: AT + path }) {
  await expect.poll(site.address, site.patience).toBe(AT + path)
  await expect.poll(site.state, site.patience).toMatchObject(state)
}

const FIRST = { props: { parcel: 'first' } }

/** The path of the document whose script runs. */
const firstAddress = ({ page }: BrowserSite) => page.evaluate('window.firstAddress') as Promise<string | undefined>

const load = (site: BrowserSite, path: string) => site.page.goto(site.origin + AT + path)
const push = (site: BrowserSite, path: string) => site.page.evaluate(`void next.router.push('${AT}${path}')`)

/** Loads a page without a shell, which redirects to a kept page. */
function blocks(number: number, does: string, parcel: string): Behaviour {
  return inBrowser(number, does, async (site) => {
    await load(site, `/waiting/${parcel}-to-kept`)
    await arrivesAt(site, '/kept/first', FIRST)
    expect(await firstAddress(site)).toBe(`${AT}/kept/first`)
  })
}

/** Pushes an address that redirects, from the index page; the page before it stays in the history. */
function pushes(number: number, kind: string, parcel: string, path: string, state?: object): Behaviour {
  return inBrowser(number, `follows the redirect of a ${kind} page in a navigation to ${path}`, async (site) => {
    await site.open(AT)
    await push(site, `/${kind}/${parcel}`)
    await arrivesAt(site, path, state)
    expect(site.documents).toHaveLength(1)
  })
}

function keepsHistory(number: number, kind: string, parcel: string, path: string, state?: object): Behaviour {
  return inBrowser(number, `goes back from ${path} to the page before the redirect of a ${kind} page`, async (site) => {
    await site.open(`${AT}/counter?from=outside`)
    await push(site, '')
    await arrivesAt(site, '', { pathname: AT })
    await push(site, `/${kind}/${parcel}`)
    await arrivesAt(site, path, state)
    await site.page.goBack()
    await arrivesAt(site, '', { pathname: AT })
  })
}

export const browser: readonly Behaviour[] = [
  inBrowser(5, 'follows a redirect from a page that is shown without its data', async (site) => {
    await load(site, '/kept/once-to-kept')
    await arrivesAt(site, '/kept/first', FIRST)
    expect(await firstAddress(site)).toBe(`${AT}/kept/once-to-kept`)
  }),
  blocks(6, 'follows a redirect of a page that waits for its data', 'once'),
  blocks(7, 'follows the redirect of such a page again', 'once'),
  blocks(8, 'follows a redirect of such a page with a lifetime', 'renewed'),
  blocks(9, 'follows the redirect with a lifetime again', 'renewed'),
  inBrowser(10, 'redirects the document when the redirect is known', async (site) => {
    await site.data(`${AT}/kept/again-to-kept`)
    await load(site, '/kept/again-to-kept')
    await arrivesAt(site, '/kept/first', FIRST)
    expect(await firstAddress(site)).toBe(`${AT}/kept/first`)
  }),
  inBrowser(11, 'follows a redirect to a page without data from a page that is shown without its data', async (site) => {
    await load(site, '/kept/once-to-index')
    await arrivesAt(site, '', { pathname: AT })
    expect(await firstAddress(site)).toBe(`${AT}/kept/once-to-index`)
    expect(site.documents).toHaveLength(1)
  }),
  inBrowser(12, 'redirects the document to a page without data when the redirect is known', async (site) => {
    await site.data(`${AT}/kept/again-to-index`)
    await load(site, '/kept/again-to-index')
    await arrivesAt(site, '', { pathname: AT })
    expect(await firstAddress(site)).toBe(undefined)
  }),
  inBrowser(13, 'loads the document of a redirect that leads to no page', async (site) => {
    await load(site, '/kept/once-to-missing')
    await expect.poll(() => site.documents.at(-1), site.patience).toBe(`${site.origin}${AT}/missing`)
    await expect.poll(site.address, site.patience).toBe(`${AT}/missing`)
    expect(await firstAddress(site)).toBe(undefined)
  }),
  inBrowser(14, 'leaves for another site from a page that is shown without its data', async (site) => {
    await load(site, '/kept/once-to-abroad')
    await expect.poll(() => site.documents.at(-1), site.patience).toBe(ABROAD)
  }),
  inBrowser(15, 'redirects to another site', async (site) => {
    const { headers, status } = await site.fetch(`${AT}/fresh/temporary-to-abroad`)
    expect([status, headers.get('location')]).toEqual([307, ABROAD])
    await load(site, '/fresh/temporary-to-abroad').catch(() => {})
    expect(site.documents.at(-1)).toBe(ABROAD)
  }),
  inBrowser(16, 'follows the redirect of a page that is loaded', async (site) => {
    await load(site, '/fresh/temporary-to-fresh')
    await arrivesAt(site, '/fresh/first', FIRST)
  }),
  pushes(17, 'fresh', 'temporary-to-counter', '/counter'),
  pushes(18, 'fresh', 'temporary-to-fresh', '/fresh/first', FIRST),
  pushes(19, 'kept', 'pushed-to-counter', '/counter'),
  pushes(20, 'kept', 'pushed-to-kept', '/kept/first', FIRST),
  keepsHistory(21, 'fresh', 'temporary-to-counter', '/counter'),
  keepsHistory(22, 'fresh', 'temporary-to-fresh', '/fresh/first', FIRST),
  keepsHistory(23, 'kept', 'back-to-counter', '/counter'),
  keepsHistory(24, 'kept', 'back-to-kept', '/kept/first', FIRST),
]
