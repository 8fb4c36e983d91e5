// Stylesheets of Sass, over HTTP.

import { expect } from 'vitest'
import { behavioursOf, type HttpSite } from '../../harness/behaviour.ts'
import { appliedTo, classesOf, declared, loadedFrom, type Sheets, sheetsOf } from './styles.ts'

const { overHttp } = behavioursOf('scss')

type Check = (styles: Sheets, site: HttpSite) => void | Promise<void>

/** What the document of the page has. */
const onPage = (number: number, does: string, page: string, check: Check, also: readonly number[] = []) =>
  overHttp(number, does, async (site) => check(await sheetsOf(site, `/scss/${page}`), site), { configuration: 'scss', also })

/** The element has the value of a class. */
const gives = (number: number, does: string, page: string, id: string, value: string, also: readonly number[] = []) =>
  onPage(number, does, page, (styles) => expect(appliedTo(styles, id, 'color')).toBe(value), also)

/** The rule of a global class. */
const declares = (number: number, does: string, selector: string, value: string, also: readonly number[] = []) =>
  onPage(number, does, 'globals', (styles) => expect(declared(styles, [selector], 'color')).toBe(value), also)

/** Both images of the class respond. */
const leadsToImages = (number: number, does: string, selector: string) =>
  onPage(number, does, 'globals', async (styles, site) => {
    expect(await loadedFrom(site, styles, declared(styles, [selector], 'background-image'))).toEqual([200, 200])
  })

const modules = [
  onPage(1, 'keeps global names inside of a name of a module', 'modules', (styles) => {
    const [around] = classesOf(styles, 'around')
    expect(around).not.toBe('around')
    expect(declared(styles, [`.${around} .upper`], 'color')).toBe('#9a9b9c')
    expect(declared(styles, [`.${around} .lower`], 'color')).toBe('#9b9c9d')
    expect(declared(styles, [`.${around}>.inner`], 'color')).toBe('#aaabac')
  }),
  gives(2, 'begins each sheet with the text of the configuration', 'modules', 'of-config', '#a1b2c3'),
  gives(3, 'looks for sheets in the folders of the configuration', 'modules', 'of-parts', '#b1b2b3'),
  gives(5, 'gives an element the class of a module', 'modules', 'warm', '#8a8b8c', [11, 33]),
  onPage(6, 'has the module of a page of many paths', 'paths/one/two', hasPlaced),
  onPage(8, 'composes classes of a module', 'modules', (styles) => {
    expect(appliedTo(styles, 'composed', 'color')).toBe('#cacbcc')
    expect(appliedTo(styles, 'composed', 'background-color')).toBe('#dadbdc')
  }),
  onPage(9, 'composes a class with one of another module', 'modules', async (styles, site) => {
    expect(appliedTo(styles, 'composed-outside', 'color')).toBe('#1d1e1f')
    expect(appliedTo(styles, 'composed-outside', 'background-color')).toBe('#eaebec')
    expect(await loadedFrom(site, styles, appliedTo(styles, 'composed-outside', 'background-image'))).toEqual([200])
  }),
  onPage(12, 'has the module of a page with a parameter', 'named/one', hasPlaced),
  onPage(27, 'has a module of a package with the sheets and modules that it uses', 'packages', (styles) => {
    expect(appliedTo(styles, 'berries', 'color')).toBe('#5a5b5c')
    expect(appliedTo(styles, 'thorns', 'color')).toBe(undefined)
    expect(appliedTo(styles, 'bush', 'color')).toBe('#3a3b3c')
    expect(appliedTo(styles, 'bush', 'background-color')).toBe('#2a2b2c')
  }),
  gives(28, 'has a module of a package', 'packages', 'flower', '#1a1b1c'),
  onPage(34, 'divides numbers in parentheses', 'modules', (styles) => expect(appliedTo(styles, 'divided', 'z-index')).toBe('50')),
]

function hasPlaced(styles: Sheets) {
  expect(appliedTo(styles, 'placed', 'background') ?? appliedTo(styles, 'placed', 'background-color')).toBe('#2d2e2f')
}

const globals = [
  {
    ...onPage(7, 'compiles nested rules, and names a source map with the sheet', 'globals', async (styles, site) => {
      const { href, map } = compiled(styles)
      expect(map).toBeDefined()
      expect(await site.text(href.replace(/[^/]+$/, map ?? ''))).toContain('.trunk')
    }),
    differs: {
      reason: 'the build writes no source maps for browsers',
      run: async (site: HttpSite) => expect(compiled(await sheetsOf(site, '/scss/globals')).map).toBe(undefined),
    },
  },
  onPage(10, 'leaves an address with content as it is', 'globals', (styles) =>
    expect(declared(styles, ['.grain'], 'background-image')).toMatch(/^url\(["']?data:image\/svg\+xml/),
  ),
  onPage(13, 'keeps the import of a sheet of another host, before all rules', 'globals', ({ sheets }) => {
    const { css } = sheets.find((sheet) => sheet.css.includes('fonts.invalid')) ?? { css: '' }
    expect(css.replaceAll(/\/\*[\s\S]*?\*\//g, '').trim()).toMatch(/^@import (url\()?["']?https:\/\/fonts\.invalid\/leaves\.css\?weight=400["']?\)?;/)
  }),
  declares(20, 'compiles a sheet that begins with a comment of Sass', '.trunk', '#5a3c28'),
  gives(21, 'has the sheets of the app in the order of the imports, not of the names', 'globals', 'reversed', '#212223'),
  gives(22, 'has the sheet of a later import after the others', 'globals', 'in-order', '#313233'),
  onPage(23, 'has the sheets of the app on each page', 'modules', hasTrunk, [25]),
  onPage(26, 'has a sheet before the rules of the sheet that imports it', 'globals', (styles) => {
    expect(appliedTo(styles, 'nested', 'color')).toBe('#414243')
    expect(appliedTo(styles, 'nested', 'font-weight')).toBe('350')
  }),
  declares(30, 'imports a sheet of a package with what it imports', '.blade', '#f1f2f3'),
  onPage(31, 'takes a name after a tilde for a package, and a path for one of the site', 'globals', (styles) => {
    expect(declared(styles, ['.of-hedge'], 'color')).toBe('#d1d2d3')
    expect(declared(styles, ['.of-plain-css'], 'color')).toBe('#919293')
    expect(declared(styles, ['.with-tilde'], 'color')).toBe('#818283')
  }),
  declares(32, 'imports a plain stylesheet of a package', '.of-meadow', '#c1c2c3', [29]),
  onPage(35, 'has the sheets of the app of a folder `src`', 'globals', hasTrunk, [36]),
  leadsToImages(41, 'leads from a sheet in another folder to its images', '.around'),
  leadsToImages(42, 'leads from a sheet to its images', '.pictures'),
  gives(45, 'has styled-jsx after the sheets of the app', 'globals', 'under', '#7a7b7c'),
]

/** The address of the sheet of the site, and the name of its source map. */
function compiled(styles: Sheets) {
  expect(declared(styles, ['.trunk :placeholder'], 'color')).toBe('#5a3c28')
  expect(declared(styles, ['.twig'], 'flex')).toBe('0 0 calc(40% - var(--gap))')
  const { href = '', css = '' } = styles.sheets.find((sheet) => sheet.css.includes('.trunk')) ?? {}
  return { href, map: /\/\*#\s*sourceMappingURL=(\S+\.map)\s*\*\//.exec(css)?.[1] }
}

function hasTrunk(styles: Sheets) {
  expect(declared(styles, ['.trunk'], 'color')).toBe('#5a3c28')
}

export const http = [...modules, ...globals]
