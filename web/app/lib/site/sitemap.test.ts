import { expect, it } from 'vitest'
import { sitemapText } from './sitemap.ts'

it('R1 the sitemap names absolute addresses, escaped', () => {
  const text = sitemapText('https://atlas.example', ['/', '/a&b', '/docs/ü'])
  expect([...text.matchAll(/<loc>(.*)<\/loc>/g)].map((match) => match[1])).toEqual([
    'https://atlas.example/',
    'https://atlas.example/a&amp;b',
    'https://atlas.example/docs/%C3%BC',
  ])
})
