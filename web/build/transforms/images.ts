// `import hero from './hero.jpg'` gives { src, width, height, blurDataURL }; the build emits the file with a hashed name.

import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Plugin } from 'vite'
import { BuildError } from '../build-error.ts'
import { contentHash, type GeneratedFiles } from '../folder/folder.ts'

const IMAGE = /\.(png|jpe?g|webp|avif|gif|svg)$/
/** Pixels of a placeholder along its longer side. */
const BLUR_CELLS = 8

/** Development's record of the file behind each image URL. */
export interface DevImages {
  urlOf(fileName: string, file: string): string
}

export function images(appDir: string, generated: () => GeneratedFiles, dev?: DevImages): Plugin {
  return {
    name: 'portico:images',
    enforce: 'pre',
    resolveId: {
      filter: { id: IMAGE },
      async handler(source, importer, options) {
        const { mode, config } = this.environment
        // All others report an import without a file; Vite for servers would load its name.
        if (mode !== 'dev' || config.consumer !== 'server' || !importer) return
        const found = await this.resolve(source, importer, { ...options, skipSelf: true })
        if (!found) throw new Error(`failed to resolve import "${source}" from "${importer}"`)
        return found
      },
    },
    async load(id) {
      if (!IMAGE.test(id)) return
      const bytes = await readFile(id)
      const name = basename(id, extname(id)).replace(/[^A-Za-z0-9_-]/g, '-')
      const fileName = `${name}-${contentHash(appDir, id, bytes, generated()).slice(0, 16)}${extname(id)}`
      if (this.environment.mode === 'build') this.emitFile({ type: 'asset', fileName, source: bytes })
      const src = dev ? dev.urlOf(fileName, id) : this.environment.config.base + fileName
      return `export default ${JSON.stringify({ src, ...(await describe(id, bytes)) })}`
    },
  }
}

/** Loaded for the first image: an app folder without images starts its development server sooner. */
const loadSharp = async () => (await import('sharp')).default

async function describe(id: string, bytes: Buffer): Promise<{ width: number; height: number; blurDataURL?: string }> {
  try {
    const sharp = await loadSharp()
    const { autoOrient, hasAlpha, format } = await sharp(bytes).metadata()
    const { width, height } = autoOrient
    if (format === 'svg' || hasAlpha) return { width, height }
    return { width, height, blurDataURL: await blurOf(bytes) }
  } catch (cause) {
    throw new BuildError(`${id}: must be an image that can be decoded`, { cause })
  }
}

/** A few averaged pixels as a PNG. Integer arithmetic makes the same bytes on every machine. */
async function blurOf(bytes: Buffer): Promise<string> {
  const sharp = await loadSharp()
  const { data, info } = await sharp(bytes)
    .autoOrient()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const scale = BLUR_CELLS / Math.max(info.width, info.height)
  const columns = Math.max(1, Math.round(info.width * scale))
  const rows = Math.max(1, Math.round(info.height * scale))
  const cells = Buffer.alloc(columns * rows * 3)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      for (let channel = 0; channel < 3; channel++)
        cells[(row * columns + column) * 3 + channel] = average(data, info, { row, rows, column, columns, channel })
  const png = await sharp(cells, { raw: { width: columns, height: rows, channels: 3 } })
    .png()
    .toBuffer()
  return `data:image/png;base64,${png.toString('base64')}`
}

interface Cell {
  row: number
  rows: number
  column: number
  columns: number
  channel: number
}

function average(data: Buffer, info: { width: number; height: number; channels: number }, cell: Cell): number {
  const top = Math.floor((cell.row * info.height) / cell.rows)
  const bottom = Math.floor(((cell.row + 1) * info.height) / cell.rows)
  const left = Math.floor((cell.column * info.width) / cell.columns)
  const right = Math.floor(((cell.column + 1) * info.width) / cell.columns)
  let sum = 0
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) sum += data[(y * info.width + x) * info.channels + cell.channel]!
  return Math.round(sum / Math.max(1, (bottom - top) * (right - left)))
}
