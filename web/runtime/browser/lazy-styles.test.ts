// Stylesheets of code that is loaded at first use, in a document that takes notes.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

let links: { rel: string; href: string; onload: () => void; onerror: () => void; remove: () => void }[]
let there: { href: string }[]

beforeEach(() => {
  links = []
  there = []
  vi.resetModules()
  vi.stubGlobal('document', {
    querySelectorAll: () => there,
    createElement: () => ({ remove: () => {} }),
    head: { append: (link: (typeof links)[number]) => void links.push(link) },
  })
})

afterEach(() => void vi.unstubAllGlobals())

const besideScript = (name: string) => new URL(name, new URL('lazy-styles.ts', import.meta.url)).href

test('N7 code that is loaded at first use waits for its stylesheet, which is asked for once', async () => {
  const { __vitePreload } = await import('./lazy-styles.ts')
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

test('N7 a stylesheet that cannot be had is a failure, and asked for again', async () => {
  const { __vitePreload } = await import('./lazy-styles.ts')
  const first = __vitePreload(async () => 'code', ['late.css'])
  links[0]!.onerror()
  await expect(first).rejects.toThrow(/late\.css/)
  const second = __vitePreload(async () => 'code', ['late.css'])
  links[1]!.onload()
  expect(await second).toBe('code')
})

test('N7 code without stylesheets, or with those of the document, waits for nothing', async () => {
  const { __vitePreload } = await import('./lazy-styles.ts')
  there = [{ href: besideScript('there.css') }]
  expect(await __vitePreload(async () => 'code', ['there.css'])).toBe('code')
  expect(await __vitePreload(async () => 'code')).toBe('code')
  expect(links).toEqual([])
})
