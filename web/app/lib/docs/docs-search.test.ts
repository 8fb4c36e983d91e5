import { describe, expect, it } from 'vitest'
import { excerptOf, markHits } from '../testing.ts'
import { createDocsSearch, type DocName, type DocSection, MOST_HITS, type TextPart } from './docs-search.ts'

const section = (page: string, heading: string | null, text: string): DocSection => ({
  href: heading === null ? '/docs' : '/docs#part',
  page,
  heading,
  text,
})
const search = createDocsSearch([
  section('Images', null, 'One large source, and for every screen a copy.'),
  section('Images', 'How long', 'A copy is kept as long as its Cache-Control says.'),
  section('Images', 'Properties', 'The quality of what `Image` shows.'),
  section('Page data', null, 'Made for each request or once.'),
  section('Page data', 'For everybody', 'getStaticProps makes a page that every image shares. Größe.'),
])
const written = (parts: TextPart[] | null) =>
  parts === null ? '' : parts.map(({ text, isHit }) => (isHit ? `[${text}]` : text)).join('')
const found = (query: string) => search(query).map(({ page, heading }) => [written(page), written(heading)].join(' › '))

describe('the search in the documentation', () => {
  it.each([
    ['images', ['[Images] › ']],
    ['copy', ['Images › ', 'Images › How long']],
    ['images copy', ['[Images] › ', '[Images] › How long']],
    ['how long', ['Images › [How] [long]']],
    ['static props', ['Page data › For everybody']],
    ['getstaticprops', ['Page data › For everybody']],
    ['größe', ['Page data › For everybody']],
    ['cache-control', ['Images › How long']],
    ['unheard', []],
    ['', []],
  ])('N2 %j finds %j', (query, hits) => {
    expect(found(query)).toEqual(hits)
  })

  it('N2 marks the query in the excerpt, whole words and names', () => {
    expect(written(search('static')[0]?.excerpt ?? [])).toContain('[getStaticProps] makes')
    expect(search('copy')[0]?.href).toBe('/docs')
  })

  it('A7 returns a bounded number of hits', () => {
    const many = Array.from({ length: 100 }, (_, index) => section('Many', `Part ${index}`, 'the same words'))
    expect(createDocsSearch(many)('same')).toHaveLength(MOST_HITS)
  })
})

describe('the search for a name', () => {
  const row = (page: string, name: string, isReference: boolean): DocName => ({
    href: `/docs/settings#${name}` as DocName['href'],
    page,
    name,
    text: `What ${name} is for.`,
    isReference,
  })
  const sections = [
    section('Security', 'TRUSTED_PROXIES', 'Networks of proxies. TRUSTED_PROXIES is a list.'),
    section('Images', null, 'TRUSTED_PROXIES is not about images.'),
    section('Errors', 'Not found', 'A page that is not-found.'),
    section('Page data', 'Making it fresh', 'An action calls revalidatePath for a path.'),
  ]
  const names = [
    row('Compose', 'TRUSTED_PROXIES', false),
    row('Configuration', 'images', false),
    row('Settings', 'TRUSTED_PROXIES', true),
    row('Settings', 'TRUSTED_PROXIES_FILE', true),
    row('Errors', 'not-found', true),
    row('Errors', 'unauthorized', true),
    row('Functions', 'revalidatePath', true),
  ]
  const searchNames = createDocsSearch(sections, names)
  const first = (query: string) => {
    const { page, heading } = searchNames(query)[0] ?? { page: null, heading: null }
    return [written(page), written(heading)].join(' › ')
  }

  it.each([
    ['TRUSTED_PROXIES', 'Settings › [TRUSTED]_[PROXIES]'],
    [' trusted_proxies ', 'Settings › [TRUSTED]_[PROXIES]'],
    ['not-found', 'Errors › [not]-[found]'],
    ['unauthorized', 'Errors › [unauthorized]'],
    ['revalidatePath', 'Functions › [revalidatePath]'],
    ['images', '[Images] › '],
  ])('N2 %j lists %j first', (query, hit) => {
    expect(first(query)).toBe(hit)
  })

  it('N2 lists the row of the reference, the rows of other pages, then sections, and no row of a longer name', () => {
    expect(searchNames('TRUSTED_PROXIES').map(({ page }) => written(page))).toEqual([
      'Settings',
      'Compose',
      'Security',
      'Images',
    ])
    expect(searchNames('TRUSTED_PROXIES')[0]?.href).toBe('/docs/settings#TRUSTED_PROXIES')
  })
})

describe('an excerpt', () => {
  const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ')

  it('N2 is the whole of a short text', () => {
    expect(excerptOf('Two words', ['two'])).toEqual([
      { text: 'Two', isHit: true },
      { text: ' words', isHit: false },
    ])
    expect(excerptOf('', ['two'])).toEqual([])
  })

  it('N2 is cut between words around most of the query, and shows that there is more', () => {
    const text = `${words(40)} first ${words(60)} first and second ${words(60)}`
    const excerpt = written(excerptOf(text, ['first', 'second']))
    expect(excerpt).toMatch(/^… (word )+\[first\] and \[second\] (word ?)+ …$/)
    expect(excerpt.length).toBeLessThan(200)
  })

  it('N2 cuts a text without spaces', () => {
    const excerpt = written(excerptOf(`${'x'.repeat(400)}-hit-${'y'.repeat(400)}`, ['hit']))
    expect(excerpt).toContain('[hit]')
  })

  it('N2 marks words with accents, and keeps the text as it is written', () => {
    const parts = markHits('A Jökull, jokull!', ['jokull'])
    expect(written(parts)).toBe('A [Jökull], [jokull]!')
    expect(parts.map(({ text }) => text).join('')).toBe('A Jökull, jokull!')
  })
})
