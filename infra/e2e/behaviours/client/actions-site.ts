// The fixture's pages with forms, as the browser tests use them.

import type { Browser, BrowserContextOptions } from 'playwright-core'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { send } from '../../harness/http.ts'

interface Counters {
  count: number
  applaud: number
  fail: number
}

/** `browser` is read when a page is opened: tests are registered before the browser is started. */
export function createActionPages(baseUrl: () => string, browser: () => Browser) {
  const readNotes = async (subject: string) => {
    const { text } = await send(baseUrl(), `/api/notes?subject=${encodeURIComponent(subject)}`)
    return JSON.parse(text) as { notes: { text: string }[]; counters: Counters }
  }
  const countOf = async (subject: string, text: string) =>
    (await readNotes(subject)).notes.filter((note) => note.text === text).length
  const unique = () => Math.random().toString(36).slice(2, 12)
  const open = async (path: string, selector: string, options: BrowserContextOptions = {}) => {
    const opened = await openPage(browser(), options)
    await opened.page.goto(baseUrl() + path)
    if (options.javaScriptEnabled !== false) await hydrated(opened.page, selector)
    return opened
  }

  return { readNotes, countOf, unique, open }
}
