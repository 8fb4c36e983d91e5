// What a client of the sample site feels, through the gateway's port: a page of each layout in one window.
// Each page in each window, images as wide as they are shown, and a tab that is left open:
// infra/e2e/long/sample-site.long.ts.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectChromium } from '../../../harness/shared.ts'
import { ATLAS } from '../../../sites/sites.ts'
import { describeAccessibility } from './accessibility.ts'
import { describeClientWalk } from './client-walk.ts'
import { describeDocs } from './docs.ts'
import { describeKeyboardWalk } from './keyboard-walk.ts'
import { describePlainSite } from './plain-site.ts'
import { examplesOf, loadSamplePages } from './sample-pages.ts'
import { describeSteadiness } from './steadiness.ts'

const { baseUrl } = inject('atlas')
let browser: Browser
let pages: string[] = []

beforeAll(async () => {
  browser = await connectChromium()
  pages = await loadSamplePages(baseUrl, ATLAS.appDir)
})

afterAll(() => browser?.close())

const target = { baseUrl: () => baseUrl, browser: () => browser, pages: () => pages, isWhole: false }

describe('the list of pages', () => {
  test('R1 holds the home page, a page of each kind and the not-found screen', () => {
    expect(pages).toEqual(expect.arrayContaining(['/', '/about', '/places/skarnvik', '/docs', '/nope']))
  })

  test('R1 rejects a route without an address', () => {
    expect(() => examplesOf('/visitors/[id]')).toThrow('/visitors/[id] is a new page')
  })
})

describeAccessibility(target)
describeSteadiness(target)
describePlainSite(target)
describeKeyboardWalk(target)
describeClientWalk(target)
describeDocs(target)
