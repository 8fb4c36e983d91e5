// What a visitor of the sample site feels, through the gateway's port: one stack and one browser for all of it.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../embedded-stack.ts'
import { ATLAS } from '../../sites.ts'
import { launchChromium } from '../chromium.ts'
import { describeAccessibility } from './accessibility.ts'
import { describeClientWalk } from './client-walk.ts'
import { describeDocs } from './docs.ts'
import { describeKeyboardWalk } from './keyboard-walk.ts'
import { describeLeaks } from './leaks.ts'
import { describePlainSite } from './plain-site.ts'
import { examplesOf, loadSamplePages } from './sample-pages.ts'
import { describeSharpness } from './sharpness.ts'
import { describeSteadiness } from './steadiness.ts'

let stack: EmbeddedStack
let browser: Browser
let pages: string[] = []

beforeAll(async () => {
  stack = await startEmbedded({ appDir: ATLAS.appDir })
  browser = await launchChromium()
  pages = await loadSamplePages(stack.baseUrl, ATLAS.appDir)
}, 900_000)

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

const target = { baseUrl: () => stack.baseUrl, browser: () => browser, pages: () => pages }

describe('the list of pages', () => {
  test('R1 holds the home page, a page of each kind and the not-found screen', () => {
    expect(pages).toEqual(expect.arrayContaining(['/', '/about', '/places/skarnvik', '/docs', '/nope']))
  })

  test('R1 refuses a route that nobody gave an address of', () => {
    expect(() => examplesOf('/visitors/[id]')).toThrow('/visitors/[id] is a new page')
  })
})

describeAccessibility(target)
describeSteadiness(target)
describeSharpness(target)
describePlainSite(target)
describeKeyboardWalk(target)
describeClientWalk(target)
describeDocs(target)
describeLeaks(target, { navigations: 60, reducedMotion: 'reduce' })
