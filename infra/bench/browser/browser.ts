// How long a user waits, in Chromium on the sample site through the gateway's port. Medians and extremes.
//
//   node infra/bench/browser/browser.ts [rounds]      needs Chromium; about 45 s a round (default 7)
//   node infra/bench/browser/browser.ts --help

import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { version as reactVersion } from 'react'
import { launchChromium } from '../../e2e/harness/chromium.ts'
import { startEmbedded } from '../../e2e/harness/embedded-stack.ts'
import { ATLAS } from '../../e2e/sites/sites.ts'
import { median } from '../processes.ts'
import { makeBarePage, startOrigin } from './browser-bare.ts'
import { type Loading, type LoadingOptions, measureLoading, measureNavigation, VIEWPORT } from './browser-visits.ts'

const HELP = `node infra/bench/browser/browser.ts [rounds] [--only clicks|loadings] [--url http://localhost:8080]

Measures, on the sample site through the gateway's port:
  click to commit   on links of the home page: from the browser's click event to the User Timing mark
                    portico:navigation-commit: the new page is in the document. Prefetched: the pointer was on the link
                    until code and data had arrived. Cold: the first click of a visitor who saves data, so manifest, code,
                    styles and data are fetched after it.
  LCP               largest contentful paint of the home page, with an empty browser cache and with a filled one.
  slowed down       LCP and total blocking time (the time beyond 50 ms of each long task after the first contentful
                    paint) of the home page with the processor 4 times slower, compared with a bare React page: the
                    same document, styles and images with one script instead of Portico's, react-dom hydrating the same
                    markup without router, page data or event handlers. Both pages pass the same plain proxy.

rounds: how often each is measured (default 7). Needs Chromium on the PATH or at CHROMIUM_PATH.
--only: the clicks or the loadings of the home page alone.
--url:  a running sample site, for example in containers; without --url the benchmark starts one.`

const SLOW_DOWN = 4
/** Links of the header of the home page, and two of its places, whose images move into their pages. */
const LINKS = ['/collections', '/search', '/docs', '/lab', '/places/sehel-amun', '/places/luzamar']
const TARGETS_MS = { prefetched: 50, cold: 150 }

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean' }, only: { type: 'string' }, url: { type: 'string' } },
  allowPositionals: true,
})
const PARTS = ['clicks', 'loadings']
const rounds = Number(positionals[0] ?? 7)
const parts = values.only === undefined ? PARTS : PARTS.filter((part) => part === values.only)
if (values.help) console.log(HELP)
else if (parts.length === 0) fail(`--only must be one of ${PARTS.join(', ')}, not ${values.only}`)
else if (!Number.isInteger(rounds) || rounds < 1) fail(`rounds must be a whole number from 1, not ${positionals[0]}`)
else await measure()

async function measure(): Promise<void> {
  const stack = values.url === undefined ? await startEmbedded({ appDir: ATLAS.appDir }) : undefined
  try {
    const browser = await launchChromium()
    try {
      await measureWith(browser, stack?.baseUrl ?? new URL(values.url ?? '').origin)
    } finally {
      await browser.close()
    }
  } finally {
    await stack?.stop()
  }
}

async function measureWith(browser: Browser, baseUrl: string): Promise<void> {
  const response = await fetch(baseUrl)
  console.log(
    `node ${process.version}, Chromium ${browser.version()}, react ${reactVersion}, ` +
      `build ${response.headers.get('portico-build')}, window ${VIEWPORT.width} x ${VIEWPORT.height}, ` +
      `medians of ${rounds} (least to most)`,
  )
  // The first visit encodes the images.
  await measureLoading(browser, baseUrl)
  if (parts.includes('clicks')) await measureClicks(browser, baseUrl)
  if (parts.includes('loadings')) await compareLoadings(browser, baseUrl, await response.text())
}

async function measureClicks(browser: Browser, baseUrl: string): Promise<void> {
  for (const kind of ['prefetched', 'cold'] as const) {
    const all: number[] = []
    for (const href of LINKS) {
      const times: number[] = []
      for (let round = 0; round < rounds; round++)
        times.push(await measureNavigation(browser, baseUrl, { href, isCold: kind === 'cold' }))
      console.log(`click to commit, ${kind}, ${href}`.padEnd(50), spread(times), 'ms')
      all.push(...times)
    }
    const verdict = median(all) < TARGETS_MS[kind] ? 'met' : 'MISSED'
    console.log(`click to commit, ${kind}`.padEnd(50), spread(all), `ms   target < ${TARGETS_MS[kind]} ms: ${verdict}`)
  }
}

async function compareLoadings(browser: Browser, baseUrl: string, html: string): Promise<void> {
  const bare = await startOrigin(baseUrl, await makeBarePage(browser, html))
  const site = await startOrigin(baseUrl)
  const variants: { name: string; url: string; options: LoadingOptions }[] = [
    { name: 'home, cold', url: baseUrl, options: {} },
    { name: 'home, warm', url: baseUrl, options: { isWarm: true } },
    { name: `home, cold, ${SLOW_DOWN}x slower`, url: site.url, options: { slowDown: SLOW_DOWN } },
    { name: `bare React, cold, ${SLOW_DOWN}x slower`, url: bare.url, options: { slowDown: SLOW_DOWN } },
  ]
  try {
    const results = new Map(variants.map(({ name }) => [name, [] as Loading[]]))
    // In turns: other work of the machine affects all equally.
    for (let round = 0; round < rounds; round++)
      for (const { name, url, options } of variants)
        results.get(name)?.push(await measureLoading(browser, url, options))
    console.log(`${''.padEnd(28)} ${'LCP ms'.padEnd(22)} ${'blocking ms'.padEnd(22)} script bytes`)
    for (const [name, loadings] of results) {
      const columns = [loadings.map(({ lcpMs }) => lcpMs), loadings.map(({ blockedMs }) => blockedMs)]
      const bytes = median(loadings.map(({ scriptBytes }) => scriptBytes))
      console.log(`${name.padEnd(28)} ${columns.map((times) => spread(times).padEnd(22)).join(' ')} ${bytes}`)
    }
  } finally {
    bare.stop()
    site.stop()
  }
}

function spread(times: number[]): string {
  const [least, most] = [Math.min(...times), Math.max(...times)]
  return `${median(times).toFixed(1).padStart(7)} (${least.toFixed(1)} to ${most.toFixed(1)})`
}

function fail(message: string): void {
  console.error(`${message}\n\n${HELP}`)
  process.exitCode = 1
}
