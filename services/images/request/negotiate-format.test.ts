import { IMAGE_FORMATS } from '@portico/shared/wire/constants.ts'
import { expect, test } from 'vitest'
import { negotiateFormat } from '../testing.ts'

test.each([
  [undefined, 'own'],
  ['', 'own'],
  ['*/*', 'own'],
  ['image/*', 'own'],
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'avif'],
  ['image/webp,image/avif,image/jxl,image/heic,video/*;q=0.8,image/png,*/*;q=0.5', 'avif'],
  ['image/webp,*/*', 'webp'],
  ['image/avif;q=0,image/webp', 'webp'],
  ['image/avif;q=0.5,image/webp;q=0.9', 'webp'],
  ['image/avif;q=0.9,image/webp;q=0.5', 'avif'],
  ['image/webp;q=0.5,image/*', 'own'],
  ['image/webp;q=0.5,image/*;q=0.4', 'webp'],
  ['image/avif;q=0.7,image/jpeg', 'own'],
  ['IMAGE/AVIF', 'avif'],
  ['image/avif ; q = 1.0', 'avif'],
  ['image/avif;q=abc,image/webp', 'webp'],
  ['image/avif;q=2,image/webp', 'webp'],
  ['text/html', 'own'],
  [`${'image/x,'.repeat(5000)}image/avif`, 'own'],
] as const)('I2 reduces Accept %j to %s', (accept, format) => {
  expect(negotiateFormat(accept, [...IMAGE_FORMATS])).toBe(format)
})

test('I2 offers only the formats that the site configured', () => {
  expect(negotiateFormat('image/avif,image/webp', ['image/webp'])).toBe('webp')
  expect(negotiateFormat('image/avif,image/webp', [])).toBe('own')
  expect(negotiateFormat('image/avif,image/webp', ['image/webp', 'image/avif'])).toBe('webp')
})
