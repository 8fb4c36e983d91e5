// The landscapes: same picture twice, names that do not move, and a catalogue that fits places and programs.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { places } from '../content/places.ts'
import { catalogueText, coverText, type Landscape } from './catalogue.ts'
import { faviconSvg, icons, renderIcon } from './icons.ts'
import { renderScene } from './produce.ts'
import { hashIcon, hashLandscape, landscapeFile } from './recipe.ts'
import { scenes } from './scenes/index.ts'
import { washes } from './washes.ts'

const app = fileURLToPath(new URL('../', import.meta.url))
const small = { width: 160, height: 100 }
const committed: Record<string, Landscape> = JSON.parse(readFileSync(`${app}content/landscapes.json`, 'utf8'))

test('F3 draws the same bytes of one landscape twice', async () => {
  const scene = scenes.find(({ slug }) => slug === 'oyune')!
  const once = await renderScene(scene, small, small)
  const again = await renderScene(scene, small, small)
  expect(once.equals(again)).toBe(true)
  const { width, height, format } = await sharp(once).metadata()
  expect({ width, height, format }).toEqual({ ...small, format: 'jpeg' })
})

test('F3 draws a picture that is neither empty nor broken', async () => {
  const scene = scenes.find(({ slug }) => slug === 'hallow-ness')!
  const { channels } = await sharp(await renderScene(scene, small, small)).stats()
  for (const { mean, stdev } of channels) {
    expect(mean).toBeGreaterThan(40)
    expect(mean).toBeLessThan(215)
    expect(stdev).toBeGreaterThan(8)
  }
})

test('F3 names every landscape by a recipe of its own that stays the same', () => {
  const recipes = scenes.map((scene) => hashLandscape(scene))
  expect(new Set(recipes).size).toBe(scenes.length)
  expect(scenes.map((scene) => hashLandscape(scene))).toEqual(recipes)
  for (const recipe of recipes) expect(recipe).toMatch(/^[0-9a-f]{64}$/)
  expect(landscapeFile(scenes[0]!)).toBe(`skarnvik-${recipes[0]!.slice(0, 8)}.jpg`)
})

test('F3 gives equal recipes to an equal checkout in another folder, with other line ends', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-'))
  try {
    cpSync(`${app}drawing`, join(folder, 'drawing'), { recursive: true })
    cpSync(`${app}package.json`, join(folder, 'package.json'))
    symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
    const noise = join(folder, 'drawing/engine/noise.ts')
    writeFileSync(noise, readFileSync(noise, 'utf8').replaceAll('\n', '\r\n'))
    const script = `import { hashLandscape } from './drawing/recipe.ts'; import { scenes } from './drawing/scenes/index.ts'; console.log(hashLandscape(scenes[0]))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stdout.trim()).toBe(hashLandscape(scenes[0]!))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('F3 keeps content/landscapes.json current with the drawing program', () => {
  expect(readFileSync(`${app}content/landscapes.json`, 'utf8')).toBe(catalogueText())
  expect(readFileSync(`${app}content/cover.json`, 'utf8')).toBe(coverText())
})

test('F3 has one landscape for every place, and no other', () => {
  expect(Object.keys(committed).sort()).toEqual(places.map(({ slug }) => slug).sort())
})

test('F3 knows every neighbour of every place, and no place is its own neighbour', () => {
  const slugs = new Set(places.map(({ slug }) => slug))
  expect(slugs.size).toBe(places.length)
  for (const { slug, neighbours } of places) {
    expect(neighbours.length).toBeGreaterThanOrEqual(2)
    for (const neighbour of neighbours) expect(slugs.has(neighbour) && neighbour !== slug).toBe(true)
  }
})

test('F3 writes placeholders that are small pictures with the colours of their washes', async () => {
  for (const [slug, { placeholder, palette }] of Object.entries(committed)) {
    expect(palette).toHaveLength(5)
    expect(placeholder.length).toBeLessThan(200)
    const { data, info } = await sharp(Buffer.from(placeholder.split(',')[1] ?? '', 'base64'))
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(info).toMatchObject({ width: 8, height: 5, channels: 3 })
    const rows = [0, 1, 2, 3, 4].map((row) => data.subarray(row * 24, row * 24 + 24).toString('hex'))
    expect(rows).toEqual(washes[slug]?.map((colour) => colour.slice(1).repeat(8)))
  }
})

test('F3 keeps the favicon current and draws icons of the sizes they are named for', async () => {
  expect(readFileSync(`${app}public/favicon.svg`, 'utf8')).toBe(faviconSvg())
  expect(faviconSvg()).toContain('prefers-color-scheme:dark')
  for (const { size } of icons) {
    const { width, height } = await sharp(await renderIcon(size)).metadata()
    expect({ width, height }).toEqual({ width: size, height: size })
    expect(hashIcon(size)).toMatch(/^[0-9a-f]{64}$/)
  }
})

test('F3 tells in one line why it cannot draw', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-'))
  try {
    cpSync(`${app}drawing`, join(folder, 'drawing'), { recursive: true })
    symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'public'), 'a file where the folder should be')
    const run = (...options: string[]) =>
      spawnSync(process.execPath, ['drawing/draw.ts', ...options], { cwd: folder, encoding: 'utf8' })
    const blocked = run('--only', 'oyune')
    expect(blocked.status).toBe(1)
    expect(blocked.stderr).toMatch(/could not be drawn: cannot write below .*\((EEXIST|ENOTDIR)\)/)
    expect(blocked.stderr).not.toContain('    at ')
    const unknown = run('--only', 'nowhere')
    expect(unknown.status).toBe(1)
    expect(unknown.stderr).toContain('--only nowhere: no such landscape')
    expect(run('--help').stdout).toContain('Usage: node drawing/draw.ts')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
