// Firefox, driven by WebDriver BiDi.

import { launch } from 'puppeteer-core'
import { type EnginePage, findProgram, type PageOptions } from './engine.ts'

export function findFirefox(): string | undefined {
  return findProgram('firefox-esr', 'firefox')
}

/** Starts a headless Firefox for each page: whether JavaScript runs is a setting of the browser. */
export async function openFirefox({ javaScriptEnabled }: PageOptions): Promise<EnginePage> {
  const executablePath = findFirefox()
  if (executablePath === undefined) throw new Error('no firefox-esr or firefox on the PATH')
  const browser = await launch({
    browser: 'firefox',
    executablePath,
    defaultViewport: { width: 1000, height: 700 },
    extraPrefsFirefox: { 'javascript.enabled': javaScriptEnabled },
  })
  const page = await browser.newPage()
  // The page's own `click` waits for an observer, which a page without JavaScript does not run.
  const centreOf = async (selector: string): Promise<[x: number, y: number]> => {
    const centre: unknown = await page.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)})
      element.scrollIntoView({ block: 'nearest', behavior: 'instant' })
      const { x, y, width, height } = element.getBoundingClientRect()
      return [x + width / 2, y + height / 2]
    })()`)
    const [x, y] = Array.isArray(centre) ? centre : []
    return [Number(x), Number(y)]
  }
  return {
    async goto(url) {
      await page.goto(url)
    },
    hover: async (selector) => page.mouse.move(...(await centreOf(selector))),
    click: async (selector) => page.mouse.click(...(await centreOf(selector))),
    type: (selector, text) => page.type(selector, text),
    evaluate: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  }
}
