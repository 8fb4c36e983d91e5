// The sample site at length: each page in each window, images as wide as they are shown, and a tab that is left open.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { describeAccessibility } from '../behaviours/client/journeys/accessibility.ts'
import { describeClientWalk } from '../behaviours/client/journeys/client-walk.ts'
import { describeDocs } from '../behaviours/client/journeys/docs.ts'
import { describeKeyboardWalk } from '../behaviours/client/journeys/keyboard-walk.ts'
import { describeLeaks } from '../behaviours/client/journeys/leaks.ts'
import { describePlainSite } from '../behaviours/client/journeys/plain-site.ts'
import { loadSamplePages } from '../behaviours/client/journeys/sample-pages.ts'
import { describeSharpness } from '../behaviours/client/journeys/sharpness.ts'
import { describeSteadiness } from '../behaviours/client/journeys/steadiness.ts'
import { launchChromium } from '../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { ATLAS } from '../sites/sites.ts'

let stack: EmbeddedStack
let browser: Browser
let pages: string[] = []

beforeAll(async () => {
  stack = await startEmbedded({ appDir: ATLAS.appDir })
  browser = await launchChromium()
  pages = await loadSamplePages(stack.baseUrl, ATLAS.appDir)
})

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

const target = { baseUrl: () => stack.baseUrl, browser: () => browser, pages: () => pages, isWhole: true }

describeAccessibility(target)
describeSteadiness(target)
describeSharpness(target)
describePlainSite(target)
describeKeyboardWalk(target)
describeClientWalk(target)
describeDocs(target)
describeLeaks(target, { navigations: 500, reducedMotion: 'no-preference' })
