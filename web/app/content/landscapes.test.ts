// The landscapes: files of public/, their list, and the places that show them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import cover from './cover.json' with { type: 'json' }
import landscapes from './landscapes.json' with { type: 'json' }
import { places } from './places.ts'

const publicDir = fileURLToPath(new URL('../public', import.meta.url))
const entries = Object.entries(landscapes)

test('F3 has one landscape for every place, and no other', () => {
  expect(Object.keys(landscapes).sort()).toEqual(places.map(({ slug }) => slug).sort())
  const listed = entries.map(([, { src }]) => src.slice('/landscapes/'.length))
  expect(readdirSync(`${publicDir}/landscapes`).sort()).toEqual(listed.sort())
})

test.each(entries)(
  'F3 lists the size of %s, and names its file by its content',
  async (slug, { src, width, height }) => {
    const bytes = readFileSync(publicDir + src)
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect(src).toBe(`/landscapes/${slug}-${digest.slice(0, 8)}.jpg`)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width, height })
  },
)

test('F3 keeps the landscapes below 12 MB together, for those who clone the repository', () => {
  const bytes = entries.reduce((sum, [, { src }]) => sum + statSync(publicDir + src).size, 0)
  expect(bytes).toBeLessThan(12_000_000)
})

test('F3 takes the cover from the list', () => {
  const { slug, ...picture } = cover
  expect(new Map(entries).get(slug)).toMatchObject(picture)
})

test('F3 gives every landscape a placeholder of 8 x 5 pixels that is shorter than 200 characters', async () => {
  for (const [, { placeholder, palette }] of entries) {
    expect(palette).toHaveLength(5)
    expect(placeholder.length).toBeLessThan(200)
    const [type, data = ''] = placeholder.split(',')
    expect(type).toBe('data:image/png;base64')
    expect(await sharp(Buffer.from(data, 'base64')).metadata()).toMatchObject({ width: 8, height: 5 })
  }
})

test('F3 knows every neighbour of every place, and no place is its own neighbour', () => {
  const slugs = new Set(places.map(({ slug }) => slug))
  expect(slugs.size).toBe(places.length)
  for (const { slug, neighbours } of places) {
    expect(neighbours.length).toBeGreaterThanOrEqual(2)
    for (const neighbour of neighbours) expect(slugs.has(neighbour) && neighbour !== slug).toBe(true)
  }
})

test.each([
  ['icon-192.png', 192],
  ['icon-512.png', 512],
  ['apple-touch-icon.png', 180],
] as const)('F3 has %s in the size that it is named for', async (file, size) => {
  expect(await sharp(`${publicDir}/${file}`).metadata()).toMatchObject({ format: 'png', width: size, height: size })
})
