// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of template literal types.
import { expect, it } from 'vitest'
import { parseSiteConfig } from './config/config.ts'
import type { AppFolder } from './folder/folder.ts'
import { siteTypes } from './testing.ts'

function pathsOf(config: object): string[] {
  // Only what the types are made of.
  const folder = { pages: [{ pattern: '/[...all]' }], apiRoutes: [] } as unknown as AppFolder
  const text = siteTypes(folder, parseSiteConfig(config), [])
  return [...text.matchAll(/\| `(.*)`/g)].flatMap(([, path]) => path ?? [])
}

const redirect = (source: string, more: object = {}) => ({ source, destination: '/x', permanent: true, ...more })

it.each([
  ['/old/:id', ['/old/${string}']],
  ['/a/:rest*', ['/a', '/a/${string}']],
  ['/:lang(de|en)?/b', ['/${string}/b', '/b']],
  ['/post-:id(\\d+).html', ['/post-${string}.html']],
  ['/a\\:b`$/(x|y)', ['/a:b\\`\\$/${string}']],
  ['/x{-:part}?{.html}?', ['/x', '/x-${string}', '/x-${string}.html', '/x.html']],
  ['/:a?/:b?/:c?/:d?/:e?/:f?', ['/${string}']],
])('F1 X5 the paths of %s are links', (source, wanted) => {
  expect(pathsOf({ redirects: [redirect(source)] })).toEqual([...new Set(['/${string}', ...wanted])].sort())
})

it('F1 X5 paths outside of basePath are no links', () => {
  const redirects = [redirect('/outside', { basePath: false }), redirect('/inside')]
  const rewrites = { beforeFiles: [{ source: '/before', destination: '/x' }], fallback: [] }
  expect(pathsOf({ redirects, rewrites })).toEqual(['/${string}', '/before', '/inside'])
})

it('F1 parameters have the types of their file names', () => {
  const pages = ['/[project]', '/docs/[[...rest]]', '/files/[...path]', '/path/[path]'].map((pattern) => ({ pattern }))
  const folder = { pages, apiRoutes: [{ pattern: '/api/[project]/[note-id]' }] } as unknown as AppFolder
  const [, members] = /interface ParamTypes \{\n([^}]*)\}/.exec(siteTypes(folder, parseSiteConfig({}), [])) ?? []
  expect(
    members
      ?.split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ).toEqual(['"note-id": string', '"path": string | string[]', '"project": string', '"rest": string[] | undefined'])
})
