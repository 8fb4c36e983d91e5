import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { expect, test } from 'vitest'
import { servedSettings } from './served-settings.ts'

test('X I3 a manifest without the mode, and with settings that no build writes, does not turn it on', () => {
  expect(servedSettings({ images: DEFAULT_IMAGES }).isNext).toBe(false)
  expect(servedSettings({ images: { ...DEFAULT_IMAGES, ...{ isNext: true } } }).isNext).toBe(false)
  expect(servedSettings({ images: DEFAULT_IMAGES, isNext: true }).isNext).toBe(true)
})
