// Which pages a renderer lists for gateways and for its own warm-up.

import { expect, test } from 'vitest'
import type { RenderDeps } from '../context/context.ts'
import { createPageLookUp } from './look-up-page.ts'

const entryOf = (pattern: string, data: string) => ({
  pattern,
  data,
  file: '',
  files: { module: '', imports: [], styles: [] },
})

test('W8 lists no more known paths than requested, whatever getStaticPaths returns', async () => {
  const paths = Array.from({ length: 300 }, (_, id) => `/many/${id}`)
  const pages = [
    entryOf('/live', 'server'),
    entryOf('/about', 'none'),
    entryOf('/many/[id]', 'static'),
    entryOf('/z', 'none'),
  ]
  const bundle = {
    pages: { '/many/[id]': async () => ({ getStaticPaths: () => ({ paths, fallback: false }) }) },
    runWithContext: (_context: unknown, run: () => unknown) => run(),
  }
  // The list of paths uses no other dependency of a renderer.
  const deps = {
    bundle,
    manifest: { buildId: 'b', basePath: '', pages },
    publicEnv: { values: {}, hash: '' },
  } as unknown as RenderDeps
  const known = await createPageLookUp(deps).known(200)
  expect(known).toHaveLength(200)
  expect(known.slice(0, 2).map(({ entry, params }) => [entry.pattern, params])).toEqual([
    ['/about', {}],
    ['/many/[id]', { id: '0' }],
  ])
})
