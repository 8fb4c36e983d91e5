// Services that start while clients send requests, as after the restart of a machine: the cache Redis emptied and
// restarted together with images, repeatedly, under 50 requests a second of cold and hot images; and each of the four
// services. PORTICO_START_ROUNDS changes the number of rounds; only the one given here proves anything.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodedWidth, soft } from '@portico/images/testing/source-images.ts'
import { IMAGE_SIZES } from '@portico/shared/wire/constants.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { steadily } from '../../bench/gateway/pace.ts'
import { type ComposeStack, startCompose } from '../harness/compose-stack.ts'
import { send } from '../harness/http.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../harness/processes.ts'
import { FIXTURE } from '../sites/sites.ts'

const ROUNDS = Number(process.env.PORTICO_START_ROUNDS ?? 20)
const PER_SECOND = 50
/** Load before a restart, and behind it. */
const ROUND_SECONDS = { before: 2, behind: 10 }
/** From the start of a process on: what arrives later must not be a 502. */
const GRACE_MS = 3000
const SOURCES = 6

let stack: ComposeStack
let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('start-site')
  await copyApp(FIXTURE.appDir, folder.path)
  await mkdir(join(folder.path, 'public/pictures'), { recursive: true })
  for (let at = 0; at < SOURCES; at++)
    await writeFile(join(folder.path, `public/pictures/start-${at}.jpg`), await soft(900, 600))
  stack = await startCompose({ appDir: folder.path })
})
afterAll(async () => {
  await stack?.down()
  await folder?.remove()
})

interface Response {
  what: string
  beganAt: number
  arrivedAt: number
  /** 0 without one. */
  status: number
  isGood: boolean
}

let fresh = 0
/** In turn: images that were made before, images that were not, and pages where they are wanted. */
async function request(at: number, withPages: boolean): Promise<Response> {
  const beganAt = Date.now()
  const paths = [FIXTURE.home.path, FIXTURE.detail.path, FIXTURE.api.path]
  const page = withPages && at % 2 === 0 ? paths[(at / 2) % paths.length] : undefined
  const width = IMAGE_SIZES[at % IMAGE_SIZES.length]!
  const source = `/pictures/start-${at % SOURCES}.jpg`
  const target = page ?? imageUrl('', at % 3 === 0 ? `${source}?of=${process.pid}-${fresh++}` : source, width, 75)
  const response = await send(stack.baseUrl, target, { headers: { accept: 'image/webp,*/*' } }).catch(() => undefined)
  const arrivedAt = Date.now()
  const what = page ?? 'image'
  if (!response) return { what, beganAt, arrivedAt, status: 0, isGood: false }
  const { status, body, headers } = response
  if (page !== undefined) return { what, beganAt, arrivedAt, status, isGood: status === 200 }
  if (status !== 200) return { what, beganAt, arrivedAt, status, isGood: status === 503 && 'retry-after' in headers }
  return { what: `${what} of ${width}`, beganAt, arrivedAt, status, isGood: (await decodedWidth(body)) === width }
}

/** When each container of these services was started, in milliseconds since the epoch, by its id. */
async function startsOf(services: readonly string[]): Promise<Map<string, number>> {
  const ids = (await Promise.all(services.map((service) => stack.containers(service)))).flat()
  const times = await Promise.all(ids.map((id) => stack.inspect(id, '{{.State.StartedAt}}')))
  return new Map(ids.map((id, at) => [id, Date.parse(times[at]!)]))
}

interface Round {
  responses: Response[]
  /** Wrong bytes at any time, a 502 later than the grace allows, and other faults of requests that began later. */
  faults: string[]
  /** Milliseconds from the last start of a process to the first image or page behind it. */
  firstGoodMs: number
}

/** One restart under load. Fails when a process ends by itself afterwards. */
async function restartUnderLoad(services: readonly string[], withPages = false): Promise<Round> {
  const responses: Response[] = []
  const count = PER_SECOND * (ROUND_SECONDS.before + ROUND_SECONDS.behind)
  const load = steadily({ perSecond: PER_SECOND, count }, async (at) => {
    responses.push(await request(at, withPages))
  })
  await new Promise((done) => setTimeout(done, ROUND_SECONDS.before * 1000))
  const restartedAt = Date.now()
  // Without a drain, as when the power fails.
  await stack.compose('restart', '--timeout', '0', ...services)
  const starts = await startsOf(services)
  await load
  const startedAt = Math.max(...starts.values())
  const isFault = ({ status, isGood, beganAt, arrivedAt }: Response) => {
    if (isGood) return false
    // Wrong bytes are wrong at any time, and before the restart everything is.
    if (status === 200 || arrivedAt < restartedAt) return true
    return (status === 502 ? arrivedAt : beganAt) > startedAt + GRACE_MS
  }
  const faults = responses.filter(isFault).map(({ what, status, arrivedAt }) => {
    return `${what}: ${status}, ${arrivedAt - startedAt} ms after the start`
  })
  await expect
    .poll(async () => (await stack.compose('ps', '--format', '{{.Health}}')).includes('starting'), { timeout: 60_000 })
    .toBe(false)
  // A process that ended was started again by the engine, at another time.
  expect(await startsOf(services)).toEqual(starts)
  const good = responses.filter(({ isGood, status, arrivedAt }) => isGood && status === 200 && arrivedAt > startedAt)
  return { responses, faults, firstGoodMs: Math.min(...good.map(({ arrivedAt }) => arrivedAt - startedAt)) }
}

function report(name: string, { responses, faults, firstGoodMs }: Round): void {
  const statuses: Record<number, number> = {}
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1
  console.log(
    `${name}: ${JSON.stringify(statuses)}, first response after ${firstGoodMs} ms, ${faults.length} faults` +
      faults
        .slice(0, 5)
        .map((fault) => `\n  ${fault}`)
        .join(''),
  )
}

describe('services started under load', () => {
  test.each([1, 2])(
    `I7 O4 O6 the cache Redis and %i of images, restarted together ${ROUNDS} times: no process ends, no late 502, every image is right`,
    async (replicas) => {
      await stack.compose('up', '--detach', '--no-build', '--wait', '--scale', `images=${replicas}`)
      const faults: string[] = []
      for (let round = 1; round <= ROUNDS; round++) {
        const seen = await restartUnderLoad(['redis-cache', 'images'])
        report(`images=${replicas}, round ${round}`, seen)
        faults.push(...seen.faults)
      }
      expect(faults).toEqual([])
    },
  )

  test.each(['gateway', 'renderer', 'images', 'actions'])(
    'O4 %s, started while clients send requests: it does not end, and is used once it is ready',
    async (service) => {
      await stack.compose('up', '--detach', '--no-build', '--wait')
      const seen = await restartUnderLoad([service], true)
      report(service, seen)
      expect(seen.faults).toEqual([])
    },
  )
})
