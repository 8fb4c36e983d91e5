// The browser requests images as wide as the layout shows them, cropped parts included, in every window and pixel
// density.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openPage } from '../../../harness/chromium.ts'
import { ALL_PAGES_TIMEOUT_MS, type JourneyTarget, shareOf } from './target.ts'

const WINDOWS = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
] as const
const DENSITIES = [1, 2, 3] as const
const PAGES = ['/', '/places/skarnvik', '/collections', '/collections/north', '/search?q=fog'] as const
/** Width of the sources: no copy has more pixels. */
const SOURCE_WIDTH = 3200
/** The front of the atlas requests at most this many pixels for one CSS pixel. */
const FRONT_DENSITY = 2
/** A browser may take the smaller one of two widths that are as near as 2048 and 3840: it knows about the connection. */
const NEAREST = Math.sqrt(2048 / 3840)
/** As the sources are shaped, and large enough to read sizes from. */
const STAND_IN = { width: 16_000, height: 10_000 }

interface Shown {
  src: string
  /** CSS pixels that `sizes` gives. */
  declared: number
  /** CSS pixels of the whole image in the layout, cropped parts included. */
  needed: number
  /** Pixels of the copy that the browser chose. */
  chosen: number
}

export function describeSharpness(target: JourneyTarget): void {
  const { baseUrl, browser } = target
  describe('sharpness', () => {
    for (const [at, viewport] of WINDOWS.entries()) {
      const densities = shareOf(DENSITIES, target, WINDOWS.length - 1 - at, WINDOWS.length)
      test(
        `I10 requests images as wide as they are shown, ${viewport.width} px wide, ${densities.join('x, ')}x`,
        async () => {
          const faults: string[] = []
          let count = 0
          for (const deviceScaleFactor of densities) {
            // Documents alone decide it.
            const javaScriptEnabled = false
            const { page, close } = await openPage(browser(), { viewport, deviceScaleFactor, javaScriptEnabled })
            await standIn(page)
            for (const path of PAGES) {
              await page.goto(baseUrl() + path)
              for (const shown of await readImages(page)) {
                count++
                const density = path === '/' ? Math.min(deviceScaleFactor, FRONT_DENSITY) : deviceScaleFactor
                faults.push(
                  ...faultsOf(shown, density, deviceScaleFactor).map((fault) => `${path} at ${density}x: ${fault}`),
                )
              }
            }
            await close()
          }
          expect(count).toBeGreaterThan(densities.length * PAGES.length)
          expect(faults).toEqual([])
        },
        ALL_PAGES_TIMEOUT_MS,
      )
    }

    test('I10 finds an image that is requested too small', async () => {
      const { page, close } = await openPage(browser(), { viewport: WINDOWS[0], deviceScaleFactor: 2 })
      await standIn(page)
      await page.goto(`${baseUrl()}/places/skarnvik`)
      await page.evaluate(() => document.querySelector('main img')!.setAttribute('sizes', '100vw'))
      const [landscape] = await readImages(page)
      expect(faultsOf(landscape!, 2, 2).join()).toContain('is shown 918 px wide, sizes say 390 px')
      // The copy that was there before is kept.
      expect(faultsOf({ ...landscape!, chosen: 750 }, 2, 2)).toHaveLength(2)
      await close()
    })
  })
}

function faultsOf({ src, declared, needed, chosen }: Shown, density: number, deviceDensity: number): string[] {
  const pixels = Math.min(needed * density, SOURCE_WIDTH)
  return [
    // Both were rounded on the way.
    ...((declared + 1) * deviceDensity < needed * density
      ? [`${src} is shown ${needed} px wide, sizes say ${declared} px`]
      : []),
    ...(chosen < pixels * NEAREST ? [`${src} needs ${pixels} px, ${chosen} px were chosen`] : []),
  ]
}

/** Serves every copy immediately, without an encoder: only its width counts. */
async function standIn(page: Page): Promise<void> {
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${STAND_IN.width}" height="${STAND_IN.height}"/>`
  await page.route('**/_portico/image?*', (route) => route.fulfill({ contentType: 'image/svg+xml', body }))
}

/** The sample's own images; those of postcards have other shapes. */
async function readImages(page: Page): Promise<Shown[]> {
  const isOurs = 'main img[srcset*="landscapes"]'
  await page.evaluate((ours) => {
    for (const image of document.querySelectorAll<HTMLImageElement>(ours)) image.loading = 'eager'
  }, isOurs)
  await page.waitForFunction(
    (ours) =>
      [...document.querySelectorAll<HTMLImageElement>(ours)].every((image) => image.complete && image.naturalWidth > 0),
    isOurs,
  )
  return page.evaluate(
    ({ ours, full }) =>
      [...document.querySelectorAll<HTMLImageElement>(ours)].map((image) => {
        const address = new URL(image.currentSrc).searchParams
        const chosen = Number(address.get('w'))
        const box = image.getBoundingClientRect()
        return {
          src: address.get('url') ?? '',
          // A browser divides a copy's own width by its density, which is its `w` in one of `sizes`.
          declared: Math.round((image.naturalWidth * chosen) / full.width),
          needed: Math.round(Math.max(box.width, (box.height * full.width) / full.height)),
          chosen,
        }
      }),
    { ours: isOurs, full: STAND_IN },
  )
}
