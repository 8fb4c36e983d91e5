// Deferred data: values that arrive after the page, in documents and in transitions, with and without JavaScript.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { NOT_FOUND_TEXT } from '@portico/shared/wire/errors/error-titles.ts'
import { SERVER_EXCEPTION_TEXT } from '@portico/shared/wire/errors/exception-texts.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { reportedErrors } from './errors.ts'
import { heading, type NavigationSite } from './site.ts'

const DATA = /\/_portico\/data\/[^/]+\/deferred\//

export function describeDeferred(site: () => NavigationSite): void {
  const url = (path: string) => site().baseUrl + path
  const gateUrl = (id: string) => url(`/api/gates/${id}`)
  const openGate = (id: string) => fetch(gateUrl(id), { method: 'POST' })
  /** Gates are opened for ever: each run of a test has its own. */
  const unique = (name: string) => `${name}-${Math.random().toString(36).slice(2, 10)}`
  const waiting = async (id: string) => Number(await (await fetch(`${gateUrl(id)}?waiting=1`)).text())

  describe('deferred data', () => {
    test('W2 the first load shows fast and failing values before the slow one, and the page is live', async () => {
      const { page, faults, close } = await openPage(site().browser)
      const id = unique('first')
      await page.goto(url(`/deferred/${id}`), { waitUntil: 'commit' })
      await expectParts(page, 'Fast value', 'Waiting', 'Failed')
      await page.click('button')
      await page.getByText('Clicked 1').waitFor()
      await openGate(id)
      await expectParts(page, 'Fast value', 'Slow value', 'Failed')
      // Hydrated, and not rendered again: the page keeps its state.
      expect(await page.textContent('button')).toBe('Clicked 1')
      expect(faults.filter((fault) => !/Deferred data failed|React error #419/.test(fault))).toEqual([])
      await close()
    })

    test('W2 P1 a prefetch keeps nothing, and a transition shows the page before the slow value', async () => {
      const id = unique('second')
      const { page, documents, close } = await site().open(`/deferred?to=${id}`)
      await page.locator('#portico-announcer').waitFor({ state: 'attached' })
      const prefetched = page.waitForResponse((response) => DATA.test(response.url()))
      await page.hover('#to')
      expect((await prefetched).headers()['content-type']).toBe('application/jsonl; charset=utf-8')
      // The browser has aborted it: the server waits for nothing.
      await expect.poll(() => waiting(id)).toBe(0)
      const again = page.waitForResponse((response) => DATA.test(response.url()))
      await page.click('#to')
      await again
      await heading(page, `Deferred ${id}`)
      await expectParts(page, 'Fast value', 'Waiting', 'Failed')
      await openGate(id)
      await expectParts(page, 'Fast value', 'Slow value', 'Failed')
      await page.goBack()
      await heading(page, 'Links')
      await page.goForward()
      await expectParts(page, 'Fast value', 'Slow value', 'Failed')
      expect(documents).toHaveLength(1)
      await page.reload()
      await expectParts(page, 'Fast value', 'Slow value', 'Failed')
      await close()
    })

    test('N6 a navigation ends the transfer of values of the page that it leaves', async () => {
      const id = unique('left')
      const { page, close } = await site().open(`/deferred?to=${id}`)
      await page.click('#to')
      await expectParts(page, 'Fast value', 'Waiting', 'Failed')
      // The page is shown before the request of its slow value arrives at the gate.
      await expect.poll(() => waiting(id)).toBe(1)
      await page.click('a[href="/about"]')
      await heading(page, 'About')
      await expect.poll(() => waiting(id)).toBe(0)
      await close()
    })

    test.each([
      ['not-found', NOT_FOUND_TEXT, '/deferred/{id}?ends=not-found'],
      ['redirect', 'About', '/deferred?to={id}%3Fends%3Dredirect'],
    ])('D3 a slow value that ends in %s acts in the page', async (ending, text, start) => {
      const id = unique(ending)
      const { page, documents, close } = await openPage(site().browser)
      await page.goto(url(start.replace('{id}', id)), { waitUntil: 'commit' })
      await hydrated(page, 'nav a')
      if (start.includes('to=')) await page.click('#to')
      await expect.poll(() => page.locator('#fast').textContent()).toBe('Fast value')
      await openGate(id)
      await page.locator('h1,p', { hasText: text }).first().waitFor()
      expect(documents).toHaveLength(1)
      await close()
    })

    test('W12 without JavaScript the whole page follows, once', async () => {
      const { page, documents, close } = await openPage(site().browser, { javaScriptEnabled: false })
      const id = unique('plain')
      await page.goto(url(`/deferred/${id}?a=1`), { waitUntil: 'commit' })
      await heading(page, `Deferred ${id}`)
      await expect.poll(() => waiting(id)).toBe(1)
      // Browsers follow when the document is complete.
      await openGate(id)
      await page.waitForURL(url(`/deferred/${id}?a=1&portico-whole=1`))
      await expectParts(page, 'Fast value', 'Slow value', 'Waiting')
      expect(await page.textContent('#path')).toBe(`/deferred/${id}?a=1 a,id`)
      expect(documents).toHaveLength(2)
      await close()
    })

    testAtLength('W12 the address of a whole page is that of the page for a browser with JavaScript', async () => {
      await openGate('whole')
      const { page, close } = await openPage(site().browser)
      await page.goto(url('/deferred/whole?a=1&portico-whole=1#end'))
      await hydrated(page, 'nav a')
      await expectParts(page, 'Fast value', 'Slow value', 'Failed')
      await page.waitForURL(url('/deferred/whole?a=1#end'))
      await expect.poll(() => page.textContent('#path')).toBe('/deferred/whole?a=1#end a,id')
      await close()
    })

    testAtLength('W12 a crawler gets the page whole', async () => {
      await openGate('crawled')
      const response = await fetch(url('/deferred/crawled'), { headers: { 'user-agent': 'Googlebot/2.1' } })
      const text = await response.text()
      expect(text).toContain('<p id="slow">Slow value</p>')
      expect(text).not.toContain('http-equiv')
    })

    testAtLength(
      'W2 D4 a connection that breaks is an error in the parts that are open, and nothing is requested again',
      async () => {
        const proxy = await startProxy(new URL(site().baseUrl))
        const id = unique('cut')
        for (const start of [`/deferred/${id}`, `/deferred?to=${id}`]) {
          const { page, close } = await openPage(site().browser)
          let requests = 0
          page.on('request', (request) => {
            if (request.url().includes(`/deferred/${id}`)) requests++
          })
          await page.clock.install()
          await page.goto(proxy.baseUrl + start, { waitUntil: 'commit' })
          await hydrated(page, 'nav a')
          if (start.includes('to=')) await page.click('#to')
          await expectParts(page, 'Fast value', 'Waiting', 'Failed')
          await page.locator('#portico-announcer').waitFor({ state: 'attached' })
          const before = requests
          proxy.cut()
          // A browser does not report that the connection of a document broke: the page waits for the server's time limit.
          if (!start.includes('to=')) await page.clock.runFor(15_000)
          await page.locator('[role=alert]').waitFor()
          expect(await page.textContent('[role=alert]')).not.toContain(SERVER_EXCEPTION_TEXT)
          expect(requests).toBe(before)
          // X16: of the value that failed on the server; the end of the connection is no error.
          const digests = (await reportedErrors(page)).map(({ digest }) => digest)
          expect(digests).toEqual([expect.stringMatching(/^[0-9a-f]{10}$/)])
          await close()
        }
        await proxy.stop()
      },
    )
  })
}

async function expectParts(page: Page, fast: string, slow: string, failing: string): Promise<void> {
  const parts = () => Promise.all(['#fast', '#slow', '#failing'].map((part) => page.locator(part).textContent()))
  await expect.poll(parts, { timeout: 10_000 }).toEqual([fast, slow, failing])
}

/** Passes bytes to the site until `cut` breaks every connection. */
async function startProxy({ hostname, port }: URL) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    // A TCP server that listens has an AddressInfo.
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async stop() {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
