// content/landscapes.json: what pages know about a landscape before its picture has arrived.
import type { Scene } from './engine/scene.ts'
import { fullSize, landscapeFile } from './recipe.ts'
import { scenes } from './scenes/index.ts'
import { washes } from './washes.ts'

export type Landscape = {
  src: string
  width: number
  height: number
  /** A gradient of a few hundred bytes with the picture's light, top to bottom. */
  placeholder: string
  palette: readonly string[]
  ink: 'light' | 'dark'
}

/** An SVG of whole numbers only, so that its text is the same on every machine. */
export function placeholderOf(wash: readonly string[]): string {
  const last = wash.length - 1
  const stops = wash.map((colour, i) => `<stop offset='${Math.round((i * 100) / last)}%' stop-color='${colour}'/>`)
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' width='16' height='10' preserveAspectRatio='none'><linearGradient id='g' x2='0' y2='1'>${stops.join('')}</linearGradient><rect width='16' height='10' fill='url(#g)'/></svg>`
  const escapes: Record<string, string> = { '%': '%25', '#': '%23', '<': '%3C', '>': '%3E' }
  return `data:image/svg+xml;utf8,${svg.replace(/[%#<>]/g, (character) => escapes[character] ?? character)}`
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
