import { expect, it } from 'vitest'
import type { RenderDeps } from '../context/context.ts'
import { locationOf } from './page-outcomes.ts'

it.each([
  ['/about', '/docs/about/'],
  ['/my%20licence', '/docs/my%20licence'],
  ['/my licence', '/docs/my%20licence'],
  ['/my%2Flicence', '/docs/my%2Flicence/'],
])(
  'R6 with trailingSlash a redirect to %s leads to %s, without a slash after the name of a file',
  (location, wanted) => {
    const file = { size: 1, type: 'text/plain', etag: '"1"', encodings: {} }
    const manifest = {
      basePath: '/docs',
      trailingSlash: true,
      publicFiles: { '/my licence': file, '/my/licence': file },
    }
    // What the function reads.
    const deps = { manifest } as unknown as RenderDeps
    expect(locationOf(deps, { location, status: 307 })).toBe(wanted)
  },
)
