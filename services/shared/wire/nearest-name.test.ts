import { expect, test } from 'vitest'
import { didYouMean, nearestName } from './nearest-name.ts'

const KNOWN = ['redirects', 'rewrites', 'basePath', 'csp', 'env', 'images']

test.each([
  ['redirect', 'redirects'],
  ['basepath', 'basePath'],
  ['rewrtie', undefined],
  ['rewriets', 'rewrites'],
  ['cps', undefined],
  ['evn', undefined],
  ['en', undefined],
  ['envs', 'env'],
  ['csp', undefined],
  ['headers', undefined],
])('R7 %s is near to %s', (name, nearest) => {
  expect(nearestName(name, KNOWN)).toBe(nearest)
})

test('R7 a message ends with the name that was meant, if there is one', () => {
  expect([didYouMean('image', KNOWN), didYouMean('plugins', KNOWN)]).toEqual(['; did you mean images?', ''])
})
