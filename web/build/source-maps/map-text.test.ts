// Positions of minified scripts in texts (E4).

import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { createTextMapper } from './map-text.ts'

/** Line 1 column 1 of the script is line 3 column 5 of the source, column 11 is line 4 column 1. */
const MAP = JSON.stringify({ version: 3, sources: ['pages/shop.tsx'], names: [], mappings: 'AAEI,UACJ' })
let dir: string

beforeAll(async () => {
  dir = await createFolder({
    '.portico/source-maps/one/page-shop-1a.js.map': MAP,
    '.portico/source-maps/one/late/part-2b.js.map': MAP,
    '.portico/source-maps/two/page-shop-3c.js.map': MAP,
    '.portico/source-maps/two/damaged-4d.js.map': '{',
  })
})
afterAll(removeFolders)

it.each([
  [
    'a frame of Chromium',
    '    at b (https://a.example/_portico/static/page-shop-1a.js:1:1)',
    '    at b (pages/shop.tsx:3:5)',
  ],
  ['a frame of Firefox', 'b@https://a.example/_portico/static/page-shop-3c.js:1:12', 'b@pages/shop.tsx:4:2'],
  [
    'below a basePath, in a folder',
    'at http://a.example/shop/_portico/static/late/part-2b.js:1:1',
    'at pages/shop.tsx:3:5',
  ],
  ['a path alone', '/_portico/static/page-shop-1a.js:1:1', 'pages/shop.tsx:3:5'],
  [
    'several in a line of JSON',
    '{"stack":"E\\n at a (https://a.example/_portico/static/page-shop-1a.js:1:1)\\n at https://a.example/_portico/static/page-shop-3c.js:1:11"}',
    '{"stack":"E\\n at a (pages/shop.tsx:3:5)\\n at pages/shop.tsx:4:1"}',
  ],
  ['text without positions', 'GET /_portico/static/page-shop-1a.js 200', 'GET /_portico/static/page-shop-1a.js 200'],
])('E4 maps %s', (_what, text, mapped) => {
  const { map, unknown } = createTextMapper(dir)
  expect(map(text)).toBe(mapped)
  expect(unknown.size).toBe(0)
})

it.each([
  ['a script of a build that is not here', 'gone-5e.js'],
  ['a damaged map', 'damaged-4d.js'],
])('E4 leaves %s as it is, and names it', (_what, name) => {
  const { map, unknown } = createTextMapper(dir)
  const text = `at https://a.example/_portico/static/${name}:1:1`
  expect(map(text)).toBe(text)
  expect([...unknown]).toEqual([name])
})

it('E4 reads no file outside of the maps', () => {
  const { map } = createTextMapper(dir)
  const text = '/_portico/static/../two/page-shop-3c.js:1:1'
  expect(map(text)).toBe(text)
})

it('E4 names the folder that holds no maps, and what writes them', () => {
  expect(() => createTextMapper(join(dir, 'none'))).toThrow(
    /^\.portico\/source-maps: holds no source maps; a build writes/,
  )
})
