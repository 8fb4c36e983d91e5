// Which modules are the site's own.

import { expect, test } from 'vitest'
import { isSiteModule } from './server-modules.ts'

test.each([
  ['/app/lib/a.ts', true],
  ['/app/lib/a.css', false],
  ['/app/node_modules/a/index.js', false],
  // Transforms for authors' modules would parse bundles of megabytes.
  ['/app/.portico/vite/deps/a.js', false],
])('F2 V1 %s is a module of the site: %s', (path, isOfSite) => {
  expect(isSiteModule(path)).toBe(isOfSite)
})
