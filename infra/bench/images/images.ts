// The cost of the images service compared with its parts. All in one run on one machine; only the ratios count.
//
//   node infra/bench/images/images.ts            about six minutes; needs wrk and the photographs of mate-backgrounds
//   node infra/bench/images/images.ts --tiny     a trial of half a minute: its figures mean nothing
//   node infra/bench/images/images.ts --only cold|hits|busy
//
//   cold     encodes a second through HTTP, against a bare sharp loop with the same settings; the gain of
//            those settings over sharp's defaults, and their cost in bytes and likeness
//   hits     a 20 KB variant through the gateway, against the same gateway before a plain server that sends 20 KB
//   busy     the slowest hits while every encoder works, against an idle service

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { makeFolder } from '../../e2e/harness/processes.ts'
import { measureBusyHits, measureHits } from './images-hits.ts'
import { requestImage, servePhotos } from './images-origin.ts'
import { startImagesProcess, writeImagesApp } from './images-processes.ts'
import type { ImagesJob, ImagesResult } from './images-sharp.ts'

const { values: given } = parseArgs({
  options: { tiny: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const wants = (part: string) => given.only === undefined || given.only === part
const FOLDER = '/usr/share/backgrounds/mate/nature'
const NAMES = ['Aqua', 'Blinds', 'Dune', 'Garden', 'LadyBird', 'Storm', 'TwoWings', 'Wood', 'YellowFlower']
const photos = NAMES.map((name) => join(FOLDER, `${name}.jpg`)).slice(0, given.tiny ? 2 : 9)
const widths = [640, 750, 828, 1080, 1200, 1920, 2048].slice(0, given.tiny ? 2 : 7)
const qualities = [60, 75, 85].slice(0, given.tiny ? 1 : 3)
/** Simultaneous requests: the encoder never waits for the next one. */
const IN_FLIGHT = 4
/** AVIF by sharp's default takes a second each: one size of each photograph. */
const AVIF = { widths: [1080], qualities: [75] }
const seconds = given.tiny ? 2 : 8
const exec = promisify(execFile)
const SHARP_LOOP = join(import.meta.dirname, 'images-sharp.ts')

const missing = photos.filter((photo) => !existsSync(photo))
if (missing.length > 0) {
  process.stderr.write(`missing: ${missing.join(', ')} (Debian's package mate-backgrounds)\n`)
  process.exit(2)
}
const folder = await makeFolder('bench-images')
const origin = await servePhotos(photos)
try {
  await writeImagesApp(folder.path)
  if (wants('cold')) await compareCold()
  if (wants('hits')) await measureHits({ folder: folder.path, siteUrl: origin.url, seconds, print })
  if (wants('busy'))
    await measureBusyHits({
      folder: folder.path,
      siteUrl: origin.url,
      photos: photos.length,
      seconds: seconds * 2,
      print,
    })
} finally {
  origin.close()
  await folder.remove()
}

async function compareCold(): Promise<void> {
  const all = { photos, widths, qualities, likeness: false }
  const bare = await loop({ ...all, settings: 'webp-ours' })
  const service = await coldThroughService()
  const again = await loop({ ...all, settings: 'webp-ours' })
  const byDefault = await loop({ ...all, settings: 'webp-default' })
  const bareRate = (bare.encodesPerSecond + again.encodesPerSecond) / 2
  const rate = (value: number) => value.toFixed(1)
  print('cold WebP through the service', rate(service.encodesPerSecond), 'encodes/s')
  print('the same in a bare loop', rate(bareRate), 'encodes/s')
  print('  share of the bare loop', (service.encodesPerSecond / bareRate).toFixed(2), 'wanted: at least 0.90')
  print("sharp's WebP default in a bare loop", rate(byDefault.encodesPerSecond), 'encodes/s')
  const gain = service.encodesPerSecond / byDefault.encodesPerSecond
  print("  service against sharp's default", gain.toFixed(2), 'wanted: at least 1.40')
  print('  bytes more', `${(100 * (service.bytes / byDefault.bytes - 1)).toFixed(1)} %`, 'wanted: at most 5 %')
  const likeness = { photos, widths, qualities, likeness: true }
  const ours = await loop({ ...likeness, settings: 'webp-ours' })
  const theirs = await loop({ ...likeness, settings: 'webp-default' })
  const lower = theirs.ssim - ours.ssim
  print(
    '  SSIM lower by',
    lower.toFixed(4),
    `wanted: at most 0.0030 (${ours.ssim.toFixed(4)} to ${theirs.ssim.toFixed(4)})`,
  )
  const avif = await loop({ photos, ...AVIF, likeness: true, settings: 'avif-ours' })
  const slow = await loop({ photos, ...AVIF, likeness: true, settings: 'avif-default' })
  print(
    'AVIF with our settings',
    rate(avif.encodesPerSecond),
    `encodes/s, ${kilobytes(avif)}, SSIM ${avif.ssim.toFixed(3)}`,
  )
  print(
    "sharp's AVIF default",
    rate(slow.encodesPerSecond),
    `encodes/s, ${kilobytes(slow)}, SSIM ${slow.ssim.toFixed(3)}`,
  )
  const times = avif.encodesPerSecond / slow.encodesPerSecond
  print('  times as fast', times.toFixed(1), 'wanted: at least 10')
}

function kilobytes({ bytes }: ImagesResult): string {
  return `${(bytes / photos.length / 1024).toFixed(0)} KB each`
}

async function loop(job: ImagesJob): Promise<ImagesResult> {
  // With the priority of an encoder: other work on the machine slows both sides equally.
  const { stdout } = await exec('nice', ['-n', '19', process.execPath, SHARP_LOOP, JSON.stringify(job)])
  // images-sharp.ts wrote this JSON.
  return JSON.parse(stdout) as ImagesResult
}

/** One encoder, and every variant once. */
async function coldThroughService(): Promise<{ encodesPerSecond: number; bytes: number }> {
  const images = await startImagesProcess({
    appDir: folder.path,
    siteUrl: origin.url,
    environment: { IMAGE_SLOTS: '1' },
  })
  try {
    const targets = widths.flatMap((width) =>
      qualities.flatMap((quality) => photos.map((_, at) => imageUrl('', `/${at}.jpg`, width, quality))),
    )
    for (const [at] of photos.entries())
      await requestImage(images.url + imageUrl('', `/${at}.jpg`, 64, 75), 'image/webp')
    const count = targets.length
    let bytes = 0
    const started = performance.now()
    const lane = async () => {
      for (let target = targets.shift(); target !== undefined; target = targets.shift()) {
        const response = await requestImage(images.url + target, 'image/webp')
        if (response.status !== 200 || response.verdict !== 'MISS')
          throw new Error(`${target}: ${response.status} ${response.verdict}`)
        bytes += response.bytes
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
    return { encodesPerSecond: (count * 1000) / (performance.now() - started), bytes }
  } finally {
    await images.kill()
  }
}

function print(name: string, value: string, note: string): void {
  process.stdout.write(`${name.padEnd(48)} ${value.padStart(9)}  ${note}\n`)
}
