// The leak test at length: what 60 navigations hide, 500 show.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../embedded-stack.ts'
import { ATLAS } from '../../sites.ts'
import { launchChromium } from '../chromium.ts'
import { describeLeaks } from './leaks.ts'

let stack: EmbeddedStack
let browser: Browser

beforeAll(async () => {
  stack = await startEmbedded({ appDir: ATLAS.appDir })
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

describeLeaks(
  { baseUrl: () => stack.baseUrl, browser: () => browser },
  { navigations: 500, reducedMotion: 'no-preference' },
)
