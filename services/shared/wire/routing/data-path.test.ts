import { expect, it } from 'vitest'
import { dataUrl, parseDataPath } from './urls.ts'

it('W2 X15 no page data has the address of a page with a dot segment', () => {
  for (const path of ['/.', '/a/..', '/a/%2e%2E', '/%2e/a'])
    expect([path, parseDataPath(dataUrl('', 'b1', path))]).toEqual([path, undefined])
  expect(parseDataPath(dataUrl('', 'b1', '/a/...'))?.pathname).toBe('/a/...')
})
