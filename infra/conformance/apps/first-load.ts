// The JavaScript of a first load: what the document of `/` names, and what Chromium requests until the page is idle, which
// includes the code of pages that links lead to.

import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { openPage } from '../../e2e/harness/chromium.ts'

export interface FirstLoad {
  /** Bytes with gzip of `script` and `modulepreload` elements. */
  document: number
  requested: number
}

const IDLE_MS = 3000

export async function measureFirstLoad(browser: Browser, origin: string): Promise<FirstLoad> {
  const { page, close } = await openPage(browser)
  const bytes = new Map<string, Promise<number>>()
  page.on('response', (response) => {
    const isCode = response.headers()['content-type']?.includes('javascript')
    if (isCode) bytes.set(response.url(), response.body().then(gzipBytes))
  })
  await page.goto(`${origin}/`)
  await page.waitForTimeout(IDLE_MS)
  const requested = sum(await Promise.all(bytes.values()))
  await close()
  const html = await (await fetch(`${origin}/`)).text()
  const tags = [...html.matchAll(/<(?:script|link)\b[^>]*>/gi)].map(([tag]) => tag)
  const named = tags.flatMap((tag) => {
    const isOfOldBrowsers = /\bnomodule\b/i.test(tag)
    const isScript = /^<script/i.test(tag) || /\brel="?modulepreload/i.test(tag)
    const url = /\b(?:src|href)="([^"]+)"/i.exec(tag)?.[1]
    return url && isScript && !isOfOldBrowsers ? [new URL(url, origin).href] : []
  })
  const load = async (url: string) => gzipBytes(Buffer.from(await (await fetch(url)).arrayBuffer()))
  return { document: sum(await Promise.all([...new Set(named)].map(load))), requested }
}

function gzipBytes(content: Buffer): number {
  return gzipSync(content, { level: 9 }).length
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
