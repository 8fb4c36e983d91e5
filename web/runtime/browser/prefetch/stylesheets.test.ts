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

let links: Sheet[]
let there: { href: string }[]

beforeEach(() => {
  links = []
  there = []
  vi.resetModules()
  vi.stubGlobal('document', {
    querySelectorAll: () => [...there, ...links],
    createElement: () => {
      const link = { remove: () => void links.splice(links.indexOf(link as Sheet), 1) }
      return link
    },
    head: { append: (link: Sheet) => void links.push(link) },
  })
})

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

test('N7 a page and code that is loaded at first use share a stylesheet', async () => {
  const { __vitePreload, loadStylesheet } = await import('./stylesheets.ts')
  const page = loadStylesheet(besideScript('late.css'), false)
  const code = __vitePreload(async () => 'code', ['late.css'])
  expect(links).toHaveLength(1)
  links[0]!.onload()
  expect([await page, await code]).toEqual([undefined, 'code'])
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

test('N7 a stylesheet that takes longer than 60 s is a failure; one that came stays', async () => {
  vi.useFakeTimers()
  const { __vitePreload, loadStylesheet } = await import('./stylesheets.ts')
  const here = loadStylesheet('http://site.example/here.css', true)
  links[0]!.onload()
  await here
  let fault: unknown
  const late = __vitePreload(async () => 'code', ['late.css']).catch((error: unknown) => {
    fault = error
  })
  await vi.advanceTimersByTimeAsync(59_999)
  expect(fault).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  await late
  expect(fault).toBeInstanceOf(Error)
  expect(links.map(({ href }) => href)).toEqual(['http://site.example/here.css'])
})

test('N7 P1 a stylesheet of a later page does not apply before it is applied, and is not requested again', async () => {
  const { applyStylesheet, loadStylesheet } = await import('./stylesheets.ts')
  const href = 'http://site.example/next.css'
  const loading = loadStylesheet(href, false)
  links[0]!.onload()
  await loading
  await loadStylesheet(href, false)
  expect(links.map(({ media }) => media)).toEqual(['not all'])
  applyStylesheet(href)
  expect(links.map(({ media }) => media)).toEqual([''])
})

test('N7 a stylesheet of a later page applies as soon as code needs it', async () => {
  const { __vitePreload, loadStylesheet } = await import('./stylesheets.ts')
  const loading = loadStylesheet(besideScript('late.css'), false)
  const code = __vitePreload(async () => 'code', ['late.css'])
  expect(links.map(({ media }) => media)).toEqual([''])
  links[0]!.onload()
  expect([await loading, await code]).toEqual([undefined, 'code'])
})

test('N7 code without stylesheets, or with those of the document, waits for nothing', async () => {
  const { __vitePreload } = await import('./stylesheets.ts')
  there = [{ href: besideScript('there.css') }]
  expect(await __vitePreload(async () => 'code', ['there.css'])).toBe('code')
  expect(await __vitePreload(async () => 'code')).toBe('code')
  expect(links).toEqual([])
})
