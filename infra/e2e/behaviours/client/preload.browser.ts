// The Link header of documents in a real browser: it names what the page uses, and nothing is fetched twice for it.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { hydrated } from '../../harness/chromium.ts'
import { connectChromium } from '../../harness/shared.ts'

/** Chromium warns of an unused preload this long after the page was loaded. */
const COMPLAINT_MS = 5000

const { baseUrl } = inject('fixture')
let browser: Browser

beforeAll(async () => {
  browser = await connectChromium()
})

afterAll(() => browser?.close())

test('G3 Chromium fetches what the Link header names once, uses it, and reports nothing', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const said: string[] = []
  const fetched: string[] = []
  page.on('console', (message) => void said.push(message.text()))
  const client = await context.newCDPSession(page)
  await client.send('Network.enable')
  client.on('Network.requestWillBeSent', ({ request }) => void fetched.push(request.url))
  const response = await page.goto(`${baseUrl}/`)
  const link = (await response?.headerValue('link')) ?? ''
  const named = [...link.matchAll(/<([^>]+)>; rel=(?:preload|modulepreload)/g)].map(([, path]) => baseUrl + path)
  expect(named.length).toBeGreaterThan(2)
  await hydrated(page, 'a')
  await page.waitForTimeout(COMPLAINT_MS)
  for (const url of named) expect([url, fetched.filter((each) => each === url).length]).toEqual([url, 1])
  expect(said.filter((text) => /preload/i.test(text))).toEqual([])
  await context.close()
})

test('G3 Chromium begins to fetch by the header alone, before the first byte of the document', async () => {
  const page = await browser.newPage()
  // The document is replaced by an empty one: every fetch is caused by the header.
  await page.route(`${baseUrl}/`, async (route) => {
    const real = await route.fetch()
    await route.fulfill({ response: real, body: '<!DOCTYPE html><title>empty</title>' })
  })
  const fetched: string[] = []
  page.on('request', (request) => void fetched.push(new URL(request.url()).pathname))
  await page.goto(`${baseUrl}/`)
  await expect.poll(() => fetched.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(1)
  await expect.poll(() => fetched.filter((path) => path.endsWith('.css')).length).toBeGreaterThan(0)
  await page.close()
})
