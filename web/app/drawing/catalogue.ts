// content/landscapes.json: what pages know about a landscape before its picture has arrived.
import { crc32, deflateSync } from 'node:zlib'
import type { Scene } from './engine/scene.ts'
import { fullSize, landscapeFile } from './recipe.ts'
import { scenes } from './scenes/index.ts'
import { washes } from './washes.ts'

export type Landscape = {
  src: string
  width: number
  height: number
  /** A data URL of a tiny picture with the landscape's light, top to bottom. */
  placeholder: string
  palette: readonly string[]
  ink: 'light' | 'dark'
}

/** Pixels of a row: with the five colours of a wash the shape of a landscape. */
const PLACEHOLDER_WIDTH = 8

/**
 * A PNG with a row of pixels for each colour, which a browser smooths when it scales it up. Not an SVG: Chromium makes a
 * document of its own for each, before the first paint. Nothing in it is compressed, so that it is the same on every
 * machine. At most 16 colours.
 */
function placeholderOf(wash: readonly string[]): string {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(PLACEHOLDER_WIDTH, 0)
  header.writeUInt32BE(wash.length, 4)
  // Four bits a pixel, each a place in the palette.
  header.set([4, 3], 8)
  const palette = Buffer.from(wash.map((colour) => colour.slice(1)).join(''), 'hex')
  // Each row: no filter, then the same place in every half of a byte.
  const rows = wash.map((_colour, place) => [0, ...new Array<number>(PLACEHOLDER_WIDTH / 2).fill(place * 0x11)])
  const pixels = deflateSync(Buffer.from(rows.flat()), { level: 0 })
  const chunks = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', pixels), chunk('IEND')]
  return `data:image/png;base64,${Buffer.concat([PNG_SIGNATURE, ...chunks]).toString('base64')}`
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Length, type, data and their check (PNG, third edition, section 5.3). */
function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const checked = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(checked))
  return Buffer.concat([length, checked, check])
}

function describe(scene: Scene): Landscape {
  const wash = washes[scene.slug]
  if (!wash) throw new Error(`drawing/washes.ts: no colours for ${scene.slug}`)
  return {
    src: `/landscapes/${landscapeFile(scene)}`,
    width: fullSize.width,
    height: fullSize.height,
    placeholder: placeholderOf(wash),
    palette: scene.palette,
    ink: scene.ink,
  }
}

/** The picture that stands for the whole atlas: on its title page, and where a link to it is shown elsewhere. */
const COVER = 'sehel-amun'

/** The text of content/cover.json: small, so that every page can know it. */
export function coverText(): string {
  const scene = scenes.find(({ slug }) => slug === COVER)
  if (!scene) throw new Error(`drawing/catalogue.ts: no landscape is called ${COVER}`)
  const { src, width, height } = describe(scene)
  return `${JSON.stringify({ slug: COVER, src, width, height }, null, 2)}\n`
}

/** The text of content/landscapes.json, in the shape the formatter leaves alone. */
export function catalogueText(): string {
  const entries = scenes.map((scene) => [scene.slug, describe(scene)] as const)
  const text = JSON.stringify(Object.fromEntries(entries), null, 2)
  return `${text.replace(/\[\s+([^\]]+?)\s+\]/g, (_all, inner: string) => `[${inner.replace(/,\s+/g, ', ')}]`)}\n`
}
