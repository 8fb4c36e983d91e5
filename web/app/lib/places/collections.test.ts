import { describe, expect, it } from 'vitest'
import { findCollection, listCollectionPaths, listCollections } from './collections.ts'
import { listPlaces } from './places.ts'

describe('the collections', () => {
  it('R3 every listed path is found, with its own words', () => {
    for (const path of listCollectionPaths()) {
      const collection = findCollection(path.split('/'))
      expect(collection?.lede, path).not.toBe('')
      expect(collection?.places.length, path).toBeGreaterThan(0)
    }
  })

  it('R3 the top collections hold every place once', () => {
    const held = listCollections().reduce((sum, { count }) => sum + count, 0)
    expect(held).toBe(listPlaces().length)
  })

  it('D2 an inner collection names its parent, an outer one its children', () => {
    expect(findCollection(['north', 'fjords'])?.parents.map(({ path }) => path)).toEqual(['north'])
    expect(findCollection(['north'])?.children.map(({ path }) => path)).toContain('north/fjords')
  })

  it.each([
    [[]],
    [['nowhere']],
    [['north', 'sands']],
    [['north', 'fjords', 'deeper']],
    [['constructor']],
    [['north', '']],
  ])('D3 %j is no collection', (segments) => {
    expect(findCollection(segments)).toBeUndefined()
  })
})
