// What getStaticPaths may return (D2): paths in any spelling, params of every kind of segment.

import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { describe, expect, it } from 'vitest'
import type { RenderDeps } from '../context/context.ts'
import { warmRequest } from '../outcome/outcome.ts'
import { createStaticPaths } from './static-page.ts'

function pathsOf(pattern: string, paths: unknown, i18n?: Manifest['i18n']) {
  const entry: PageEntry = { pattern, file: '', data: 'static', files: { module: '', imports: [], styles: [] } }
  const bundle = {
    pages: { [pattern]: async () => ({ getStaticPaths: () => ({ paths, fallback: false }) }) },
    runWithContext: (_context: unknown, run: () => unknown) => run(),
  }
  // getStaticPaths uses no other dependency of a renderer.
  const staticPaths = createStaticPaths({
    bundle,
    manifest: { i18n },
    publicEnv: { values: {} },
  } as unknown as RenderDeps)
  return {
    known: () => staticPaths.known(entry, warmRequest()),
    async exists(pathname: string, locale?: string): Promise<boolean> {
      const match = matchRoute(prepareRoutes([{ pattern }]), pathname)
      if (match.kind !== 'match') throw new Error(`${pathname} is no path of ${pattern}`)
      return (await staticPaths.verdict({ entry, params: match.params, locale }, warmRequest())) === 'render'
    },
  }
}

describe('what getStaticPaths returns', () => {
  it.each([
    ['a plain path', '/p/[id]', '/p/über uns', '/p/%C3%BCber%20uns'],
    ['an encoded path', '/p/[id]', '/p/%C3%BCber%20uns', '/p/%C3%BCber%20uns'],
    ['an encoded slash', '/p/[id]', '/p/a%2Fb', '/p/a%2Fb'],
    ['a percent sign', '/p/[id]', { params: { id: '100%' } }, '/p/100%25'],
    ['a path with a slash at its end', '/p/[id]', '/p/a/', '/p/a'],
    ['a list', '/p/[...rest]', { params: { rest: ['a', 'b c'] } }, '/p/a/b%20c'],
    ['an optional list that is absent', '/p/[[...rest]]', { params: {} }, '/p'],
    ['an optional list that is empty', '/p/[[...rest]]', { params: { rest: [] } }, '/p'],
    ['an optional list that is false', '/p/[[...rest]]', { params: { rest: false } }, '/p'],
    ['an optional list that is null', '/p/[[...rest]]', { params: { rest: null } }, '/p'],
  ])('D2 may name %s', async (_name, pattern, path, pathname) => {
    expect(await pathsOf(pattern, [path]).exists(pathname)).toBe(true)
    expect(await pathsOf(pattern, ['/p/other']).exists(pathname)).toBe(false)
  })

  it.each([
    ['a number', '/p/[id]', { params: { id: 7 } }, 'getStaticPaths of /p/[id]: the param "id" must be a string'],
    ['a text for a list', '/p/[...rest]', { params: { rest: 'a' } }, 'the param "rest" must be a list of strings'],
    ['no param', '/p/[id]', { params: {} }, 'the param "id" is missing'],
    ['no params at all', '/p/[id]', {}, 'getStaticPaths of /p/[id]: each path must be a string or { params }'],
    ['nothing', '/p/[id]', null, 'each path must be a string or { params }'],
    ['the path of another page', '/p/[id]', '/q/a', 'the path "/q/a" does not match the pattern'],
  ])('D2 may not name %s: the message says so', async (_name, pattern, path, message) => {
    await expect(pathsOf(pattern, [path]).known()).rejects.toThrow(message)
  })
})

describe('what getStaticPaths returns in a site with locales', () => {
  const i18n = { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: true }

  it('X14 a path is that of its locale, and without one of the default locale', async () => {
    const listed = ['/p/a', '/fr/p/b', { params: { id: 'c' } }, { params: { id: 'd' }, locale: 'fr' }]
    const { exists, known } = pathsOf('/p/[id]', listed, i18n)
    const found = async (id: string) => [await exists(`/p/${id}`, 'en'), await exists(`/p/${id}`, 'fr')]
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(found))).toEqual([
      [true, false],
      [false, true],
      [true, false],
      [false, true],
    ])
    expect((await known())[1]).toEqual({ params: { id: 'b' }, locale: 'fr' })
  })

  it('X14 a locale that is none of the site is refused by name', async () => {
    const { known } = pathsOf('/p/[id]', [{ params: { id: 'c' }, locale: 'de' }], i18n)
    await expect(known()).rejects.toThrow('locale="de" is no locale of i18n; locales: en, fr')
  })
})
