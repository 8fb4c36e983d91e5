import { expect, test } from 'vitest'
import { mediaTypeOf } from './built-files.ts'

test.each([
  ['/static/page-1a2b3c4d.js', 'text/javascript; charset=utf-8'],
  ['/static/page.js.map', 'application/json; charset=utf-8'],
  ['/styles.CSS', 'text/css; charset=utf-8'],
  ['/site.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['/feed.xml', 'application/xml; charset=utf-8'],
  ['/notes.md', 'text/markdown; charset=utf-8'],
  ['/logo.svg', 'image/svg+xml'],
  ['/favicon.ico', 'image/x-icon'],
  ['/inter.woff2', 'font/woff2'],
  ['/song.flac', 'audio/flac'],
  ['/song.m4a', 'audio/mp4'],
  ['/clip.mov', 'video/quicktime'],
  ['/module.wasm', 'application/wasm'],
  ['/js', 'application/octet-stream'],
  ['/.hidden', 'application/octet-stream'],
  ['/data.unknown', 'application/octet-stream'],
])('F3 the media type of %s is %s', (path, type) => {
  expect(mediaTypeOf(path)).toBe(type)
})
