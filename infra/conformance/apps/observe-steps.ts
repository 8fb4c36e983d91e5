// What a user sees who does one thing after the other: after each step the address, the text, the cookies and the faults.

import { type Browser, errors, type Page } from 'playwright-core'
import type { WatchedPage } from '../../e2e/harness/chromium.ts'
import type { Step } from './apps.ts'
import { createObservations, type Facts, type Observations } from './observations.ts'
import { describeFaults, open, settle, withPage } from './observe-browser.ts'
import { describePage } from './page-scripts.ts'

const SHOWN_MS = 15_000

export interface StepsOptions {
  origin: string
  /** Hosts that the steps lead to. */
  others: string[]
}

/** Rejects where a text that a step names is not shown. */
export async function observeSteps(browser: Browser, steps: Step[], { origin, others }: StepsOptions) {
  const observations = createObservations(origin)
  const walk = async (watched: WatchedPage) => {
    for (const [at, step] of steps.entries()) {
      const { page, faults } = watched
      faults.length = 0
      const { shows, body, text, ...action } = step
      const where = `step ${at + 1}: ${Object.entries(action)
        .map(([kind, what]) => `${kind} ${what}`)
        .join(' ')}`
      const sent = await perform(page, origin, step)
      if (shows !== undefined) await waitForText(page, shows, where)
      observations.add(where, sent ?? (await observe(watched)))
    }
  }
  await withPage(browser, origin, walk, others)
  return observations satisfies Observations
}

/** The facts of a request; undefined for what changes the page. */
async function perform(page: Page, origin: string, step: Step): Promise<Facts | undefined> {
  if (step.open !== undefined) await open(page, origin + step.open)
  if (step.fill !== undefined) await page.fill(step.fill, step.text ?? '')
  if (step.press !== undefined) await page.keyboard.press(step.press)
  if (step.click !== undefined) {
    const [name, exact] = [step.click, true]
    const target = page.getByRole('button', { name, exact }).or(page.getByRole('link', { name, exact }))
    const before = page.url()
    await target.first().click()
    await page.waitForURL((url) => url.href !== before, { timeout: 3000 }).catch(() => undefined)
  }
  if (step.send === undefined) return undefined
  const [method = 'GET', path = '/'] = step.send.split(' ')
  return page.evaluate(
    async ({ method, path, body }) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
      return { status: String(response.status), body: await response.text() }
    },
    { method, path, body: step.body },
  )
}

async function observe({ page, faults }: WatchedPage): Promise<Facts> {
  await settle(page)
  const { title, text } = await page.evaluate(describePage)
  const cookies = await page.context().cookies()
  const { origin, pathname, searchParams } = new URL(page.url())
  return {
    // Values of a log-in are random.
    address: `${origin}${pathname} ${[...searchParams.keys()].join(' ')}`,
    title,
    text,
    cookies: cookies
      .map(({ name, path, httpOnly, sameSite }) => `${name} ${path} ${httpOnly ? 'HttpOnly' : ''} ${sameSite}`)
      .sort()
      .join('\n'),
    faults: describeFaults(faults),
  }
}

async function waitForText(page: Page, text: string, where: string): Promise<void> {
  try {
    await page.waitForFunction((wanted) => document.body?.innerText.includes(wanted), text, { timeout: SHOWN_MS })
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error
    const shown = await page.evaluate(() => document.body?.innerText ?? '')
    throw new Error(`${where}: ${page.url()} does not show "${text}" but:\n${shown.slice(0, 2000)}`, { cause: error })
  }
}
