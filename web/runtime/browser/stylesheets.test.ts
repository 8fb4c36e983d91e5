// Stylesheets of pages and of code that is loaded at first use, in a document that takes notes.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

interface Sheet {
  rel: string
  href: string
  media: string
  onload: () => void
  onerror: () => void
  remove: () => void
}

/** The links of the head, in their order. */
let links: Sheet[]
/** Those that the document had from the start. */
let there: Sheet[]

const stub = (members: Partial<Sheet> = {}) => {
  const link: Sheet & { after: (...more: Sheet[]) => void } = {
    ...{ rel: '', href: '', media: '', onload() {}, onerror() {} },
    ...members,
    remove: () => void links.splice(links.indexOf(link), 1),
    after: (...more) => void links.splice(links.indexOf(link) + 1, 0, ...more),
  }
  return link
}

beforeEach(() => {
  links = []
  there = []
  vi.resetModules()
  vi.stubGlobal('document', {
    querySelectorAll: (selector: string) => (selector === 'link[data-portico]' ? [...there] : [...links]),
    createElement: () => stub(),
    head: {
      append: (link: Sheet) => void links.push(link),
      prepend: (...more: Sheet[]) => void links.unshift(...more),
    },
  })
})

/** A document with the sheets of every page, and those of its own page. */
async function openDocument(every: string[], own: string[]) {
  there = [...every, ...own].map((name) => stub({ href: besideScript(name) }))
  links = [...there]
  const styles = await import('./views/page-styles.ts')
  styles.startStyles(own.map(besideScript))
  return { ...styles, ...(await import('./stylesheets.ts')) }
}

/** The names of the sheets that apply, in their order. */
const applied = () =>
  links.filter(({ media }) => media === '').map(({ href }) => href.slice(href.lastIndexOf('/') + 1, -'.css'.length))

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const besideScript = (name: string) => new URL(name, new URL('stylesheets.ts', import.meta.url)).href

test('N7 code that is loaded at first use waits for its stylesheet, which is requested once', async () => {
  const { __vitePreload } = await import('./stylesheets.ts')
  const loaded: string[] = []
  const load = async () => loaded.push('code')
  const both = [__vitePreload(load, ['late.css']), __vitePreload(load, ['late.css'])]
  await new Promise((done) => setImmediate(done))
  expect(loaded).toEqual([])
  expect(links.map(({ rel, href }) => [rel, href])).toEqual([['stylesheet', besideScript('late.css')]])
  links[0]!.onload()
  await Promise.all(both)
  expect(loaded).toEqual(['code', 'code'])
})

test('N7 the sheets of the next page apply in its order, in place of those of the page before', async () => {
  const { applyStyles, loadStyles } = await openDocument(['app.css'], ['one.css', 'two.css', 'old.css'])
  const next = ['two.css', 'one.css', 'new.css'].map(besideScript)
  const loading = loadStyles(next)
  expect(applied()).toEqual(['app', 'one', 'two', 'old'])
  for (const link of links.filter(({ media }) => media !== '')) link.onload()
  await loading
  applyStyles(next)
  expect(applied()).toEqual(['app', 'two', 'one', 'new'])
  const count = links.length
  await loadStyles(next)
  expect(links).toHaveLength(count)
  applyStyles(['one.css', 'two.css', 'old.css'].map(besideScript))
  expect(applied()).toEqual(['app', 'one', 'two', 'old'])
  applyStyles([])
  expect(applied()).toEqual(['app'])
})

test('N7 the sheets of code that is loaded at first use come behind those of every page, and remain', async () => {
  const { __vitePreload, applyStyles, loadStyles } = await openDocument(
    ['app.css'],
    ['one.css', 'shared.css', 'own.css'],
  )
  const code = __vitePreload(async () => 'code', ['app.css', 'late.css', 'shared.css'])
  links.at(-1)!.onload()
  expect(await code, 'of two sheets that the page has').toBe('code')
  expect(applied()).toEqual(['app', 'one', 'shared', 'own', 'late'])
  const next = ['two.css'].map(besideScript)
  const loading = loadStyles(next)
  for (const link of links.filter(({ media }) => media !== '')) link.onload()
  await loading
  applyStyles(next)
  expect(applied(), 'the page has one of them no more').toEqual(['app', 'two', 'late', 'shared'])
  applyStyles(['one.css', 'shared.css', 'own.css'].map(besideScript))
  expect(applied(), 'the page has it in its own place').toEqual(['app', 'one', 'shared', 'own', 'late'])
})

test('N7 a stylesheet that cannot be loaded is a failure, and is requested again', async () => {
  const { __vitePreload } = await import('./stylesheets.ts')
  const first = __vitePreload(async () => 'code', ['late.css'])
  links[0]!.onerror()
  await expect(first).rejects.toThrow(/late\.css/)
  expect(links).toEqual([])
  const second = __vitePreload(async () => 'code', ['late.css'])
  links[0]!.onload()
  expect(await second).toBe('code')
})

test('N7 a sheet of the next page that takes longer than 60 s is a failure; all its sheets are requested again', async () => {
  vi.useFakeTimers()
  const { loadStyles } = await import('./views/page-styles.ts')
  const hrefs = ['http://site.example/here.css', 'http://site.example/late.css']
  let fault: unknown
  const loading = loadStyles(hrefs).catch((error: unknown) => {
    fault = error
  })
  links[0]!.onload()
  await vi.advanceTimersByTimeAsync(59_999)
  expect(fault).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  await loading
  expect(fault).toBeInstanceOf(Error)
  expect(links).toEqual([])
  const again = loadStyles(hrefs)
  for (const link of links) link.onload()
  await again
  expect(links.map(({ href, media }) => [href, media])).toEqual(hrefs.map((href) => [href, 'not all']))
})

test('N7 a sheet of a later page applies as soon as code needs it', async () => {
  const { __vitePreload, loadStyles } = await openDocument([], [])
  const loading = loadStyles([besideScript('late.css')])
  const code = __vitePreload(async () => 'code', ['late.css'])
  expect(applied()).toEqual(['late'])
  for (const link of links) link.onload()
  await loading
  expect(await code).toBe('code')
})

test('N7 code without stylesheets, or with those of the document, waits for nothing', async () => {
  const { __vitePreload } = await openDocument(['there.css'], [])
  expect(await __vitePreload(async () => 'code', ['there.css'])).toBe('code')
  expect(await __vitePreload(async () => 'code')).toBe('code')
  expect(links).toHaveLength(1)
})
