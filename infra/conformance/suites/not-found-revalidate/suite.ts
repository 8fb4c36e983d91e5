// The suite of pages that are not found first, and are there later.

import { expect } from 'vitest'
import { behavioursOf, type HttpSite } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/not-found-revalidate'
const PATIENCE = { timeout: 8000 }

const { overHttp, inBrowser } = behavioursOf('not-found-revalidate')

const second = () => new Promise((done) => setTimeout(done, 1100))

/** 404 first, and a page after the second of revalidate. */
async function appears(site: HttpSite, path: string) {
  const statusOf = async () => (await site.fetch(AT + path)).status
  expect(await statusOf()).toBe(404)
  await second()
  await expect.poll(statusOf, PATIENCE).toBe(200)
}

export const notFoundRevalidate: Suite = {
  name: 'not-found-revalidate',
  source: upstream('test/integration/not-found-revalidate/test/index.test.js'),
  tests: 3,
  rows: {},
  behaviours: [
    overHttp(1, 'shows a page that was not found during the build', async (site) => {
      await Promise.all(['/begins', '/begins/listed', '/begins/other'].map((path) => appears(site, path)))
    }),
    overHttp(2, 'shows a page that was not found at the first request, and makes it again', async (site) => {
      await appears(site, '/begins/again')
      const call = async () => ((await site.stateOf(`${AT}/begins/again`)).props as { call: number }).call
      const first = await call()
      await second()
      await expect.poll(call, PATIENCE).toBeGreaterThan(first)
    }),
    inBrowser(3, 'shows such a page after a fallback that has ended in the page 404', async (site) => {
      await site.page.goto(`${site.origin}${AT}/later/any`)
      await expect.poll(() => site.page.textContent('body'), site.patience).toMatch(/404|not (be )?found/i)
      await second()
      await expect.poll(async () => (await site.fetch(`${AT}/later/any`)).status, PATIENCE).toBe(200)
    }),
  ],
}
