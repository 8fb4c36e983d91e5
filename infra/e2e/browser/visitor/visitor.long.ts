// The sample site at length: each page in each window, and a tab that is left open: what 60 navigations hide, 500 show.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../embedded-stack.ts'
import { ATLAS } from '../../sites/sites.ts'
import { launchChromium } from '../chromium.ts'
import { describeAccessibility } from './accessibility.ts'
import { describeDocs } from './docs.ts'
import { describeKeyboardWalk } from './keyboard-walk.ts'
import { describeLeaks } from './leaks.ts'
import { describePlainSite } from './plain-site.ts'
import { loadSamplePages } from './sample-pages.ts'
import { describeSharpness } from './sharpness.ts'
import { describeSteadiness } from './steadiness.ts'

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
describeDocs(target)
describeLeaks(target, { navigations: 500, reducedMotion: 'no-preference' })
