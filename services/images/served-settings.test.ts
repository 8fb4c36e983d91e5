import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { expect, test } from 'vitest'
import { servedSettings } from './config.ts'

test('X I3 image settings that no build writes do not change the rules', () => {
  const forged = { ...DEFAULT_IMAGES, ...{ semantics: { undecodedImages: true } } }
  expect(servedSettings({ images: forged, semantics: {} }).semantics).toEqual({})
  const semantics = { undecodedImages: true }
  expect(servedSettings({ images: DEFAULT_IMAGES, semantics }).semantics).toEqual(semantics)
})
