// What a generated picture is made from, as one hash: equal sources give equal names on every machine.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Scene } from './engine/scene.ts'

/** Size of the finished picture, and the size light is computed at; ridges stay crisp enough at half. */
export const fullSize = { width: 3840, height: 2400 }
export const innerSize = { width: 1920, height: 1200 }

const here = fileURLToPath(new URL('.', import.meta.url))

/** Source text with line ends made equal: a checkout on another system must give the same hash. */
function sourceText(path: string): string {
  return readFileSync(here + path, 'utf8').replaceAll('\r\n', '\n')
}

function engineText(): string {
  const names = readdirSync(`${here}engine`).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return names
    .sort()
    .map((name) => `${name}\n${sourceText(`engine/${name}`)}`)
    .join('\n')
}

function hash(parts: readonly string[]): string {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(`${part.length}:${part}`)
  return sum.digest('hex')
}

/** 64 hex digits for a landscape. */
export function hashLandscape(scene: Scene): string {
  const data = JSON.stringify({ slug: scene.slug, full: fullSize, inner: innerSize })
  return hash([data, engineText(), sourceText(`scenes/${scene.slug}.ts`)])
}

/** 64 hex digits for an icon of `size` pixels. */
export function hashIcon(size: number): string {
  return hash([String(size), sourceText('icons.ts')])
}

/** The public file name of a landscape. */
export function landscapeFile(scene: Scene, recipe = hashLandscape(scene)): string {
  return `${scene.slug}-${recipe.slice(0, 8)}.jpg`
}
