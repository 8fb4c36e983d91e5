import { expect, test } from 'vitest'
import { parseSiteConfig } from '../config/site-config.ts'
import { manifestOf } from './manifest.ts'

test.each([
  [true, true],
  [false, undefined],
])('X I3 the image settings say whether compatibility mode is on: %s', (on, isNext) => {
  const sources = { folder: { apiRoutes: [] }, config: parseSiteConfig({}), actions: [], next: { on } }
  const files = { pages: [], screens: [], browserEntry: { module: 'a.js', imports: [], styles: [] } }
  expect(manifestOf(sources, files).images.isNext).toBe(isNext)
})

test('I3 no configuration turns compatibility mode of images on', () => {
  expect(() => parseSiteConfig({ images: { isNext: true } })).toThrow('images.isNext')
})
