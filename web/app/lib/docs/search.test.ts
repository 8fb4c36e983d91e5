import { describe, expect, it } from 'vitest'
import { QUERY_LIMIT, searchPlaces, splitWords } from './search.ts'

type Searchable = Parameters<typeof searchPlaces>[0][number]

const place = (name: string, rest: Partial<Searchable> = {}): Searchable => ({
  name,
  region: 'Nowhere',
  kind: 'water',
  summary: '',
  story: [],
  ...rest,
})

const items = [
  place('Jökulhem', { kind: 'ice', story: ['A quiet boat.'] }),
  place('Boat Harbour', { kind: 'city', summary: 'Ice in the drinks only.' }),
  place('Skarnvik', { region: 'Boatmark', kind: 'coast' }),
]
const found = (query: string) => searchPlaces(items, query).map(({ name }) => name)

describe('the search', () => {
  it.each([
    ['jokulhem', ['Jökulhem']],
    ['JÖKUL', ['Jökulhem']],
    ['boat', ['Boat Harbour', 'Skarnvik', 'Jökulhem']],
    ['ice', ['Jökulhem', 'Boat Harbour']],
    ['ice boat', ['Boat Harbour', 'Jökulhem']],
    ['harbour xyz', []],
    ['', []],
    [' -– ', []],
    ['arbour', []],
  ])('N2 %j finds %j', (query, names) => {
    expect(found(query)).toEqual(names)
  })

  it('A7 looks at the beginning of an endless query only', () => {
    expect(found(`${'ice '.repeat(QUERY_LIMIT)}nothing`)).toEqual(['Jökulhem', 'Boat Harbour'])
  })

  it('R3 splits words of any script', () => {
    expect(splitWords('Сёла, Ελλάδα 9½—x')).toEqual(['села', 'ελλαδα', '9½', 'x'])
  })
})
