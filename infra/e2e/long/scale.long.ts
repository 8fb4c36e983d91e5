// `docker compose up --scale images=4`, and then 2 and 6 under traffic: images spread evenly, no client notices the
// change, and a new replica gets work immediately. PORTICO_TRAFFIC_RATE changes the rate.

import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeVisits } from '../faults/replicas/scenarios.ts'
import { faultsOf, type Kind, sampleImageUrl, startTraffic, widthOf } from '../faults/replicas/traffic.ts'
import { type ComposeStack, startCompose } from '../harness/compose-stack.ts'
import { send } from '../harness/http.ts'
import { makeFolder, type TemporaryFolder } from '../harness/processes.ts'
import { copySite } from '../sites/written/traces.ts'

const IMAGES = 2000
const LANES = 4
/** Made once before the traffic: the test is of the change, not of the encoders. */
const WARM_IMAGES = 200
const perSecond = Number(process.env.PORTICO_TRAFFIC_RATE ?? 200)
const MIX: readonly Kind[] = ['image', 'page', 'image', 'image', 'page']

let stack: ComposeStack
let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('scale')
  const appDir = join(folder.path, 'site')
  await copySite(appDir)
  stack = await startCompose({ appDir, up: ['--scale', 'images=4'] })
})
afterAll(async () => {
  await stack?.down()
  await folder?.remove()
})

interface Line {
  /** ISO 8601. */
  time: string
  event: string
  by?: string
  replica?: string
  status?: number
  upstream?: string
  state?: string
}

/** The log lines of the gateway about replicas of images: requests to them, and changes of their state. */
async function imageLines(): Promise<Line[]> {
  const log = await stack.compose('logs', '--no-color', '--no-log-prefix', 'gateway')
  return log.split('\n').flatMap((text) => {
    const start = text.indexOf('{')
    // Written by the gateway's log.
    const line = start < 0 ? undefined : (JSON.parse(text.slice(start)) as Line)
    return line?.replica !== undefined && (line.by ?? line.upstream) === 'images' ? [line] : []
  })
}

const isRequest = ({ event }: Line) => event === 'request'

/** Requests so many images, each until it is there; resolves with the number of refusals for overload. */
async function requestAll(count: number, width: (number: number) => number): Promise<number> {
  let next = 0
  let refused = 0
  const lane = async () => {
    for (let at = next++; at < count; ) {
      const target = sampleImageUrl(at, width(at))
      const { status, text } = await send(stack.baseUrl, target, { headers: { accept: 'image/webp,*/*' } })
      if (status === 200) at = next++
      else if (status === 503) {
        refused++
        await new Promise((done) => setTimeout(done, 1000))
      } else throw new Error(`image ${at}: status ${status}: ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return refused
}

describe('docker compose --scale images', () => {
  test(`G2 spreads ${IMAGES} different images over four replicas within 15 % of even`, async () => {
    const started = performance.now()
    const refused = await requestAll(IMAGES, () => 16)
    const counts = new Map<string, number>()
    for (const { replica = '', status } of (await imageLines()).filter(isRequest))
      if (status === 200) counts.set(replica, (counts.get(replica) ?? 0) + 1)
    console.log(
      `${IMAGES} images by ${LANES} simultaneous clients in ${Math.round((performance.now() - started) / 1000)} s: ` +
        `${[...counts.values()].join(', ')}; requested again after 503: ${refused}`,
    )
    expect(counts.size).toBe(4)
    const even = IMAGES / 4
    for (const count of counts.values()) expect(Math.abs(count - even) / even).toBeLessThanOrEqual(0.15)
  })

  test('I5 the images of the traffic below are made', async () => {
    await requestAll(WARM_IMAGES, widthOf)
  })

  test.each([
    [2, 0],
    [6, 4],
  ])('O2 G2 no request fails while images is scaled to %i, of which %i are new', async (count, added) => {
    const port = Number(new URL(stack.baseUrl).port)
    const changesBefore = (await imageLines()).filter((line) => !isRequest(line)).length
    const traffic = startTraffic({ port, perSecond, actionId: '', mix: MIX, imageCount: WARM_IMAGES })
    await new Promise((done) => setTimeout(done, 2000))
    await stack.compose('up', '-d', '--no-build', '--no-recreate', '--wait', '--scale', `images=${count}`)
    await new Promise((done) => setTimeout(done, 6000))
    const visits = await traffic.stop()
    const lines = await imageLines()
    const changes = lines.filter((line) => !isRequest(line)).slice(changesBefore)
    const delays = changes
      .filter(({ state }) => state === 'ready')
      .map(({ replica, time }) => {
        const readyAt = Date.parse(time)
        const first = lines.find(
          (line) => isRequest(line) && line.replica === replica && Date.parse(line.time) >= readyAt,
        )
        return first ? Date.parse(first.time) - readyAt : Number.POSITIVE_INFINITY
      })
    console.log(
      `${describeVisits(`images scaled to ${count}`, perSecond, visits)}; ` +
        `first work of new replicas after they were ready: ${delays.join(', ')} ms`,
    )
    expect(faultsOf(visits)).toEqual([])
    expect(await stack.containers('images')).toHaveLength(count)
    expect(delays.length).toBeGreaterThanOrEqual(added)
    for (const delay of delays) expect(delay).toBeLessThan(5000)
  })
})
