// The other side of the images benchmark, in a separate process: a bare sharp loop over the same images, one image
// at a time with one thread, and the cost of the chosen settings in bytes and likeness.
//
//   node infra/bench/images/images-sharp.ts '<ImagesJob as JSON>'      prints an ImagesResult as JSON

import { readFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { ssim } from './images-ssim.ts'

export interface ImagesJob {
  photos: string[]
  widths: number[]
  qualities: number[]
  /** `ours` are the settings of the service, `default` those of sharp. */
  settings: 'webp-ours' | 'webp-default' | 'avif-ours' | 'avif-default'
  /** Compares likeness with the unencoded image; takes longer than the encoding, and is not counted in the rate. */
  likeness: boolean
}

export interface ImagesResult {
  encodesPerSecond: number
  bytes: number
  /** Mean over all images; only where likeness was requested. */
  ssim: number
}

/** The service's rule: AVIF looks as good as WebP and JPEG at a quality that is lower by this number. */
const AVIF_QUALITY_OFFSET = 20

if (process.argv[2]) {
  sharp.concurrency(1)
  sharp.cache(false)
  // images.ts wrote this JSON.
  const job = JSON.parse(process.argv[2]) as ImagesJob
  process.stdout.write(JSON.stringify(await runLoop(job)))
}

async function runLoop({ photos, widths, qualities, settings, likeness }: ImagesJob): Promise<ImagesResult> {
  const sources = photos.map((photo) => readFileSync(photo))
  // The first encode compiles and loads code; its time is not counted.
  await encode(sharp(sources[0]).resize(64), settings, 50).toBuffer()
  let milliseconds = 0
  let bytes = 0
  let count = 0
  let likenesses = 0
  for (const width of widths)
    for (const quality of qualities)
      for (const source of sources) {
        const started = performance.now()
        const body = await encode(shrink(source, width), settings, quality).toBuffer()
        milliseconds += performance.now() - started
        bytes += body.length
        count++
        if (likeness) likenesses += ssim(await luma(shrink(source, width)), await luma(sharp(body)))
      }
  return { encodesPerSecond: (count * 1000) / milliseconds, bytes, ssim: likenesses / count }
}

function shrink(source: Buffer, width: number): Sharp {
  return sharp(source).autoOrient().resize({ width, withoutEnlargement: true }).toColourspace('srgb')
}

function encode(image: Sharp, settings: ImagesJob['settings'], quality: number): Sharp {
  switch (settings) {
    case 'webp-ours':
      return image.webp({ quality, effort: 2 })
    case 'webp-default':
      return image.webp({ quality })
    case 'avif-ours':
      return image.avif({ quality: quality - AVIF_QUALITY_OFFSET, effort: 0, chromaSubsampling: '4:2:0' })
    case 'avif-default':
      return image.avif()
    default:
      return settings satisfies never
  }
}

async function luma(image: Sharp): Promise<{ data: Buffer; width: number; height: number }> {
  const { data, info } = await image.toColourspace('b-w').extractChannel(0).raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}
