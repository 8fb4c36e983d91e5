// Cached variants: how many a second the gateway passes on, and the times of the slowest ones while encoders work.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { IMAGE_QUALITIES } from '@portico/shared/wire/constants.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { root } from '../../checks/sources.ts'
import { READY, startGatewayProcess, writeEmptyApp } from '../gateway/gateway-process.ts'
import { percentile, steadily } from '../gateway/pace.ts'
import { processorMs, requestsPerSecond, startNode, waitFor } from '../processes.ts'
import { requestImage } from './images-origin.ts'
import { type ImagesProcess, startImagesProcess } from './images-processes.ts'

interface HitsOptions {
  /** Made by writeImagesApp. */
  folder: string
  siteUrl: string
  seconds: number
  print: (name: string, value: string, note: string) => void
}

const WANTED_BYTES = 20 * 1024
const CONNECTIONS = 32
const ROUNDS = 3
/** The slowest hundredth differs more from run to run. */
const BUSY_ROUNDS = 5

/** A hit through the gateway, in turns with a response of the same size from a server that does nothing else. */
export async function measureHits({ folder, siteUrl, seconds, print }: HitsOptions): Promise<void> {
  const images = await startImagesProcess({ appDir: folder, siteUrl })
  const { target, bytes } = await findVariant(images)
  const plain = await servePlain(bytes)
  const gateways = [await startGateway(folder, images.url), await startGateway(folder, plain.url)] as const
  try {
    const rates = { hits: [] as number[], plain: [] as number[] }
    const measure = (at: 0 | 1, time: number) =>
      requestsPerSecond(gateways[at].url + target, { connections: CONNECTIONS, seconds: time })
    for (const at of [0, 1] as const) measure(at, 2)
    const costs = { gateway: [] as number[], images: [] as number[] }
    const spent = () => [processorMs(gateways[0].pid), processorMs(images.child.pid)] as const
    for (let round = 0; round < ROUNDS; round++) {
      const before = spent()
      const rate = measure(0, seconds / 2)
      const after = spent()
      rates.hits.push(rate)
      costs.gateway.push((after[0] - before[0]) / ((rate * seconds) / 2))
      costs.images.push((after[1] - before[1]) / ((rate * seconds) / 2))
      rates.plain.push(measure(1, seconds / 2))
    }
    const [hits, hop] = [percentile(rates.hits, 0.5), percentile(rates.plain, 0.5)]
    print('hits through the gateway', Math.round(hits).toString(), `requests/s of ${bytes} bytes`)
    print('  processor time in the gateway', percentile(costs.gateway, 0.5).toFixed(3), 'ms a request')
    print('  processor time in the images service', percentile(costs.images, 0.5).toFixed(3), 'ms a request')
    print('the same hop before a plain server', Math.round(hop).toString(), 'requests/s')
    print('  share of the hop', (hits / hop).toFixed(2), 'wanted: at least 0.80')
  } finally {
    for (const { stop } of gateways) stop()
    plain.close()
    await images.kill()
  }
}

/**
 * Hits at 200 a second: first without other work, then with cold work always waiting. A plain server that sends as many
 * bytes, measured during the same encoding, shows the part of the delay that the machine causes.
 */
export async function measureBusyHits({
  folder,
  siteUrl,
  seconds,
  photos,
  print,
}: HitsOptions & { photos: number }): Promise<void> {
  const images = await startImagesProcess({ appDir: folder, siteUrl })
  const { target, bytes } = await findVariant(images)
  const plain = await servePlain(bytes)
  try {
    const sample = async (url: string, verdict: string | undefined) => {
      const times: number[] = []
      await steadily({ perSecond: 200, count: 200 * seconds }, async () => {
        const started = performance.now()
        const response = await requestImage(url + target, '*/*')
        times.push(performance.now() - started)
        if (response.status !== 200 || response.verdict !== verdict)
          throw new Error(`${response.status} ${response.verdict}`)
      })
      return percentile(times, 0.99)
    }
    const samplers = { hits: () => sample(images.url, 'HIT'), plain: () => sample(plain.url, undefined) }
    let made = 0
    const duringEncoding = async (sampler: () => Promise<number>) => {
      let cold = true
      const keepBusy = async (lane: number) => {
        for (; cold; made++) {
          const source = `/${made % photos}.jpg?n=${lane}-${made}`
          const { status } = await requestImage(images.url + imageUrl('', source, 1920, 75), 'image/avif')
          if (status !== 200) await new Promise((done) => setTimeout(done, 100))
        }
      }
      const lanes = [0, 1, 2, 3].map(keepBusy)
      const p99 = await sampler()
      cold = false
      await Promise.all(lanes)
      return p99
    }
    await samplers.hits()
    const p99 = { idle: [] as number[], busy: [] as number[], floor: [] as number[] }
    for (let round = 0; round < BUSY_ROUNDS; round++) {
      p99.idle.push(await samplers.hits())
      p99.busy.push(await duringEncoding(samplers.hits))
      p99.floor.push(await duringEncoding(samplers.plain))
    }
    const printMedian = (name: string, values: number[], note: string) => {
      const all = values.map((value) => value.toFixed(2)).join(', ')
      print(name, percentile(values, 0.5).toFixed(2), `ms${note} (${all})`)
    }
    const before = percentile(p99.idle, 0.5)
    printMedian('p99 of hits, no other work', p99.idle, '')
    printMedian(
      'p99 of hits, all encoders busy',
      p99.busy,
      `, wanted: at most ${Math.max(2 * before, before + 3).toFixed(2)}`,
    )
    printMedian('p99 of a plain server, all encoders busy', p99.floor, '')
    print('  images encoded meanwhile', made.toString(), 'AVIF of 1920 pixels')
  } finally {
    plain.close()
    await images.kill()
  }
}

/** The variant of the first photograph whose size is nearest to 20 KB, in the format for clients without a preference. */
async function findVariant(images: ImagesProcess): Promise<{ target: string; bytes: number }> {
  let best = { target: '', bytes: Number.POSITIVE_INFINITY }
  for (const width of [256, 384, 640])
    for (const quality of IMAGE_QUALITIES) {
      const target = imageUrl('', '/0.jpg', width, quality)
      const { bytes } = await requestImage(images.url + target, '*/*')
      if (Math.abs(bytes - WANTED_BYTES) < Math.abs(best.bytes - WANTED_BYTES)) best = { target, bytes }
    }
  return best
}

async function servePlain(bytes: number): Promise<{ url: string; close: () => void }> {
  const port = await freePort()
  const child = startNode([join(root, 'infra/bench/images/images-plain.ts'), String(port), String(bytes)])
  const url = `http://127.0.0.1:${port}`
  await waitFor(url)
  return { url, close: () => void child.kill('SIGKILL') }
}

/** A gateway before one images service; no service listens at the other addresses. */
async function startGateway(
  folder: string,
  imagesUrl: string,
): Promise<{ url: string; pid: number | undefined; stop: () => void }> {
  const healthy = createServer((_request, response) => response.end(READY))
  await new Promise<void>((done) => healthy.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an address with a port.
  const innerUrl = `http://127.0.0.1:${(healthy.address() as AddressInfo).port}`
  const appDir = join(folder, `gateway-${new URL(innerUrl).port}`)
  const { images } = JSON.parse(readFileSync(join(folder, 'dist/manifest.json'), 'utf8')) as { images: unknown }
  await writeEmptyApp(appDir, { images })
  const { url, child } = await startGatewayProcess({ appDir, every: { url: imagesUrl, innerUrl } })
  return {
    url,
    pid: child.pid,
    stop() {
      child.kill('SIGKILL')
      healthy.closeAllConnections()
      healthy.close()
    },
  }
}
