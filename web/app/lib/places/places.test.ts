import { describe, expect, it } from 'vitest'
import { findPlace, listPlaces, toCard } from './places.ts'

describe('the places of the atlas', () => {
  it('F3 each have an image with its size and a placeholder', () => {
    for (const place of listPlaces()) {
      const { image } = toCard(place)
      expect(image.src, place.slug).toMatch(/^\//)
      expect(image.width, place.slug).toBeGreaterThan(image.height)
      expect(image.placeholder, place.slug).toMatch(/^data:image\//)
    }
  })

  it('F3 have unique slugs that are plain path segments, and neighbours that are places', () => {
    const slugs = listPlaces().map((place) => place.slug)
    expect(new Set(slugs).size).toBe(slugs.length)
    for (const place of listPlaces()) {
      expect(place.slug).toBe(encodeURIComponent(place.slug))
      for (const neighbour of place.neighbours)
        expect(findPlace(neighbour), `${place.slug}: ${neighbour}`).toBeDefined()
    }
  })

  it.each([
    [{ latitude: 68.214, longitude: -2.871 }, '68.21° N 2.87° W'],
    [{ latitude: -0.5, longitude: 120 }, '0.50° S 120.00° E'],
  ])('F3 %j is printed as %s', (coordinates, text) => {
    const [place] = listPlaces()
    expect(place && toCard({ ...place, coordinates }).coordinates).toBe(text)
  })
})
