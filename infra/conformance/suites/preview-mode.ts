// What the suites of preview and draft mode share: their cookies, and what a page shows of the mode.

import { DRAFT_COOKIE, PREVIEW_DATA_COOKIE } from '@portico/shared/wire/cookies/draft-mode.ts'
import { parseSetCookie, type SetCookie } from 'cookie'
import { expect } from 'vitest'
import type { Behaviour, BrowserSite, HttpSite, Run } from '../harness/behaviour.ts'
import { readState } from '../harness/site.ts'

const STEPS = '/api/preview-modes'
export const BOTH = [DRAFT_COOKIE, PREVIEW_DATA_COOKIE]

/** What pages show of the mode; `print` is another one for each run of the data function. */
export interface Proof {
  preview: boolean
  previewData: object | null
  draftMode: boolean
  isPreview: boolean
  print: string
}

export const PUBLISHED = { preview: false, previewData: null, draftMode: false, isPreview: false }
export const draftWith = (previewData: object) => ({ preview: true, previewData, draftMode: true, isPreview: true })

/** The handler of the fixture. */
export const step = (site: HttpSite, name: string, init?: RequestInit) => site.fetch(`${STEPS}/${name}`, init)

export const cookiesOf = (response: Response): SetCookie[] => response.headers.getSetCookie().map((line) => parseSetCookie(line))

/** The request of a client that has got the cookies of a step. */
export async function clientAfter(site: HttpSite, name: string): Promise<{ headers: { cookie: string } }> {
  const pairs = cookiesOf(await step(site, name)).map(({ name: cookie, value }) => `${cookie}=${value}`)
  return { headers: { cookie: pairs.join('; ') } }
}

/** A client whose cookies the site has not made. */
export const FORGED = { headers: { cookie: BOTH.map((name) => `${name}=0123456789abcdef`).join('; ') } }

export async function proofOf(site: HttpSite, path: string, init?: RequestInit): Promise<Proof & { book?: string }> {
  const { props } = readState(await site.text(path, init))
  return props as Proof
}

/** No cache keeps the response. */
export function expectPrivate({ headers }: Response): void {
  expect(headers.get('cache-control')).toMatch(/^private,.*\bno-store\b/)
}

export async function dataWith(site: HttpSite, path: string, init: RequestInit) {
  const response = await site.fetch(`/_next/data/${site.buildId}${path}.json`, init)
  expectPrivate(response)
  return ((await response.json()) as { pageProps: object }).pageProps
}

/** Whether the cookies have these names and attributes. */
function expectCookies(names: readonly string[], attributes: object): Run<HttpSite> {
  return async (site) => {
    const cookies = cookiesOf(await step(site, names.length === 1 ? 'draft' : 'preview'))
    expect(cookies).toEqual(names.map((name) => ({ name, value: expect.any(String), path: '/', httpOnly: true, ...attributes })))
  }
}

/** What a handler sets that switches the mode on. */
export function setsCookies(id: string, names: readonly string[]): Behaviour {
  return {
    id,
    does: 'sets cookies for the whole site that end with the session of the browser',
    via: 'http',
    run: expectCookies(names, { secure: true, sameSite: 'none' }),
    differs: {
      reason: 'over http a cookie is not Secure, and then browsers accept SameSite=None of no cookie',
      run: expectCookies(names, { sameSite: 'lax' }),
    },
  }
}

/** A response that removes cookies for a path. */
export function expectRemoved(response: Response, names: readonly string[], path = '/'): void {
  const cookies = cookiesOf(response)
  expect(cookies.map(({ name }) => name)).toEqual(names)
  for (const cookie of cookies) {
    expect(cookie).toMatchObject({ path, expires: new Date(0) })
    expect(cookie).not.toHaveProperty('maxAge')
  }
}

/** In Chromium: from the step that enters the mode to the one that leaves it. */
export async function readsProofs(site: BrowserSite, { at, enter, leave, proof }: { at: string; enter: string; leave: string; proof: object }): Promise<void> {
  const { page } = site
  await page.goto(`${site.origin}${STEPS}/${enter}`)
  await site.open(at)
  expect((await site.state()).props).toMatchObject(proof)
  // The data function runs again, without a document.
  const { print } = (await site.state()).props as Proof
  await page.evaluate('void next.router.replace(location.pathname)')
  await expect.poll(async () => ((await site.state()).props as Proof).print, site.patience).not.toBe(print)
  expect((await site.state()).props).toMatchObject(proof)
  await site.open(`${at}/cover`)
  const documents = site.documents.length
  await page.click('#turn')
  await expect.poll(site.state, site.patience).toMatchObject({ pathname: at, props: proof })
  expect(site.documents).toHaveLength(documents)
  await page.goto(`${site.origin}${STEPS}/${leave}`)
  await site.open(at)
  expect((await site.state()).props).toMatchObject(PUBLISHED)
  expect(site.faults).toEqual([])
}
