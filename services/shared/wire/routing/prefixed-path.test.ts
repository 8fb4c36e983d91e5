import { expect, it } from 'vitest'
import { prefixedStaticPaths } from './urls.ts'

it.each([
  ['/cdn/_portico/static/a.js', '/cdn', '/_portico/static/a.js'],
  ['/x/cdn/_portico/static/a.js', 'https://h.example:8443/x/cdn', '/_portico/static/a.js'],
  ['/_portico/static/a.js', 'https://h.example', '/_portico/static/a.js'],
  ['/cdn/_portico/data/b1/index.json', '/cdn', undefined],
  ['/cdn/_portico/static', '/cdn', undefined],
  ['/cdnx/_portico/static/a.js', '/cdn', undefined],
  ['/cdn', '/cdn', undefined],
])('X4 %s with assetPrefix %s is the file %s', (pathname, assetPrefix, wanted) => {
  expect(prefixedStaticPaths(assetPrefix)(pathname)).toBe(wanted)
})
