// Screenshots of every page of the sample site, for people to look at: three widths, light and dark, and on paper.
//
//   node infra/e2e/screenshots.ts <folder> [--url http://127.0.0.1:8080]      needs Chromium
//   node infra/e2e/screenshots.ts --help

import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { loadSamplePages } from './behaviours/client/journeys/sample-pages.ts'
import { hydrated, launchChromium } from './harness/chromium.ts'
import { startEmbedded } from './harness/embedded-stack.ts'
import { ATLAS } from './sites/sites.ts'

const HELP = `node infra/e2e/screenshots.ts <folder> [--url <origin>]

Takes every page of the sample site 390, 768 and 1440 px wide, in light and dark, from top to bottom, into the folder as
<page>-<width>-<scheme>.png, and as it is printed (A4) as <page>.pdf. Starts the site unless --url names one that runs (of the build in web/app/dist).
infra/e2e/shots is ignored by git. Needs Chromium on the PATH or at CHROMIUM_PATH.`

const WIDTHS = [390, 768, 1440]
const SCHEMES = ['light', 'dark'] as const
/** The width whose page is printed: paper has its own. */
const PRINTED_WIDTH = 1440

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean' }, url: { type: 'string' } },
  allowPositionals: true,
})
const [folder] = positionals
if (values.help) console.log(HELP)
else if (!folder) {
  console.error(HELP)
  process.exitCode = 1
} else await takeScreenshots(resolve(folder), values.url)

async function takeScreenshots(into: string, running: string | undefined): Promise<void> {
  await mkdir(into, { recursive: true })
  const stack = running === undefined ? await startEmbedded({ appDir: ATLAS.appDir }) : undefined
  const baseUrl = running ?? stack!.baseUrl
  const browser = await launchChromium()
  try {
    const paths = await loadSamplePages(baseUrl, ATLAS.appDir)
    for (const path of paths) await screenshotPage(browser, baseUrl, path, into)
    console.log(`${paths.length * WIDTHS.length * SCHEMES.length} images and ${paths.length} prints in ${into}`)
  } finally {
    await browser.close()
    await stack?.stop()
  }
}

async function screenshotPage(browser: Browser, baseUrl: string, path: string, into: string): Promise<void> {
  for (const width of WIDTHS) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(baseUrl + path)
    await hydrated(page, 'main')
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      // Lazy images.
      await page.evaluate(async () => {
        for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight / 2) {
          scrollTo({ top, behavior: 'instant' })
          await new Promise((done) => setTimeout(done, 60))
        }
        scrollTo({ top: 0, behavior: 'instant' })
      })
      // Loaded is not yet drawn: images are decoded when the browser finds the time.
      await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => {}))))
      await page.screenshot({ path: join(into, `${nameOf(path)}-${width}-${colorScheme}.png`), fullPage: true })
    }
    if (width === PRINTED_WIDTH) await page.pdf({ path: join(into, `${nameOf(path)}.pdf`), format: 'A4' })
    await context.close()
  }
}

function nameOf(path: string): string {
  return path.slice(1).replaceAll(/[^\w-]+/g, '-') || 'home'
}
