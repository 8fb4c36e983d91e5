// The suite of `next/font`.

import { expect } from 'vitest'
import { unescapeHtml } from '../../../e2e/harness/http.ts'
import type { Behaviour, BrowserSite, HttpSite } from '../../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const SITE = '/next-font'
const configuration = 'with-app'
const google = notApplicable('a font that the build fetches from Google: no build of Portico does')

function http(number: number, does: string, run: (site: HttpSite) => Promise<void>): Behaviour {
  return { id: `next-font-${number}`, does, via: 'http', configuration, run }
}

function browser(number: number, does: string, run: (site: BrowserSite) => Promise<void>): Behaviour {
  return { id: `next-font-${number}`, does, via: 'browser', configuration, run }
}

/** Addresses of the fonts that a document preloads, in the mode in which browsers request fonts. */
async function preloadsOf(site: HttpSite, name: string): Promise<string[]> {
  const html = await site.text(`${SITE}/${name}`)
  expect(html).not.toContain('rel="preconnect"')
  const links = [...html.matchAll(/<link [^>]*as="font"[^>]*>/g)].map(([link]) => link)
  for (const link of links) expect(link).toMatch(/rel="preload".*crossorigin|crossorigin.*rel="preload"/i)
  return links.map((link) => /href="([^"]+\.woff2)"/.exec(link)?.[1] ?? link)
}

async function familyOf({ page }: BrowserSite, id: string): Promise<string[]> {
  const family = await page.locator(`#${id}`).evaluate((element) => getComputedStyle(element).fontFamily)
  return family.split(', ').map((name) => name.replaceAll('"', ''))
}

const NAME = expect.stringMatching(/^\S+$/)

export const nextFont: Suite = {
  name: 'next-font',
  source: upstream('test/e2e/next-font/index.test.ts'),
  tests: 21,
  rows: {
    1: notApplicable('tests of a hosting service'),
    2: notApplicable('files of the development server'),
    ...Object.fromEntries([3, 5, 12, 13, 15, 16, 17, 18, 19, 20, 21].map((number) => [number, google])),
  },
  behaviours: [
    http(4, 'has classes, a family and the only weight and style of a local font as values', async (site) => {
      const html = await site.text(`${SITE}/values`)
      const text = /<pre id="fonts">([^<]*)</.exec(html)?.[1] ?? ''
      const { one, several } = JSON.parse(unescapeHtml(text)) as Record<string, { style: { fontFamily: string } }>
      const family = expect.stringMatching(/^'?[\w-]+'?, '?[\w -]+'?, system-ui$/)
      expect(one).toMatchObject({ className: NAME, style: { fontFamily: family, fontStyle: 'italic', fontWeight: 100 } })
      expect(several).toMatchObject({ className: NAME, variable: NAME })
      expect(several?.style).toEqual({ fontFamily: expect.stringMatching(/^'?[\w-]+'?, '?[\w -]+'?$/) })
    }),
    browser(6, 'gives an element with the class the font, and behind it a fallback font of the same size', async (site) => {
      await site.open(`${SITE}/styles`, 'main')
      const [name, fallback, ...others] = await familyOf(site, 'adjusted')
      expect(others).toEqual([])
      expect(fallback?.toLowerCase()).toMatch(new RegExp(`^${name}.fallback$`, 'i'))
      const size = await site.page.evaluate(
        (wanted) => [...document.fonts].find(({ family }) => family.replaceAll('"', '') === wanted)?.family !== undefined,
        fallback,
      )
      expect(size).toBe(true)
    }),
    browser(7, 'has a custom property with the family inside of elements with its class only', async (site) => {
      await site.open(`${SITE}/styles`, 'main')
      const own = await familyOf(site, 'class')
      expect(await familyOf(site, 'variable')).toEqual(own)
      expect(await familyOf(site, 'outside')).not.toContain(own[0])
      expect(await familyOf(site, 'app')).not.toContain(own[0])
    }),
    browser(8, 'has the given fallback fonts where the size of none is adjusted', async (site) => {
      await site.open(`${SITE}/styles`, 'main')
      for (const id of ['class', 'style', 'variable']) expect(await familyOf(site, id), id).toEqual([NAME, 'system-ui', 'Arial'])
    }),
    http(9, 'preloads the font of the app and those of the page', async (site) => {
      expect(new Set(await preloadsOf(site, 'styles')).size).toBe(3)
    }),
    http(10, 'preloads the font of the app for a page without one', async (site) => {
      expect(await preloadsOf(site, 'plain')).toHaveLength(1)
    }),
    http(11, 'preloads every file of a local font', async (site) => {
      expect(new Set(await preloadsOf(site, 'values')).size).toBe(5)
    }),
    http(14, 'preloads a font whose fallback has its own size', async (site) => {
      const [ofApp] = await preloadsOf(site, 'plain')
      expect((await preloadsOf(site, 'styles')).filter((href) => href !== ofApp)).toHaveLength(2)
    }),
  ],
}
