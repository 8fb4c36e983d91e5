// The end-to-end suite against docker compose with three replicas for images. Another app folder:
// compose-site.containers.ts.

import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import type { StackStatus } from '@portico/shared/wire/stack-status.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComposeStack, startCompose } from '../../harness/compose-stack.ts'
import { send, unescapeHtml } from '../../harness/http.ts'
import { startLoad } from '../../harness/load.ts'
import { ATLAS } from '../../sites/sites.ts'
import { describeSite } from '../http/suite.ts'
import { countKeys, infoOf } from './compose-redis.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions']
const SCALE = ['--scale', 'images=3']

describe('docker compose --scale images=3', () => {
  let stack: ComposeStack | undefined
  let logAtStart = ''
  const running = () => {
    if (!stack) throw new Error('the stack is not up')
    return stack
  }
  const baseUrl = () => running().baseUrl

  beforeAll(async () => {
    stack = await startCompose({ up: SCALE })
    logAtStart = await stack.compose('logs', '--no-color', ...SERVICES)
  })
  afterAll(() => stack?.down())

  describeSite('in containers, with three replicas for images', { site: ATLAS, baseUrl })

  const imageOf = async () => {
    const page = unescapeHtml((await send(baseUrl(), ATLAS.home.path)).text)
    return decodeURIComponent(/\/_portico\/image\?url=([^&"\s]+)/.exec(page)?.[1] ?? '')
  }
  const answersAll = async () => {
    const targets = [ATLAS.home.path, ATLAS.detail.path, ATLAS.api.path, imageUrl('', await imageOf(), 640, 75)]
    const responses = await Promise.all(targets.map((target) => send(baseUrl(), target)))
    return responses.every((response) => response.status === 200)
  }
  const answersAllSoon = () => expect.poll(() => answersAll().catch(() => false), { timeout: 60_000 }).toBe(true)

  test('I5 variants are kept in the cache Redis, which grows with image requests', async () => {
    const size = () => countKeys(running(), 'images')
    const before = await size()
    const source = await imageOf()
    for (const width of [828, 1080]) {
      const response = await send(baseUrl(), imageUrl('', source, width, 60), {
        headers: { accept: 'image/webp' },
      })
      expect(response.status).toBe(200)
    }
    await expect.poll(size).toBeGreaterThanOrEqual(before + 2)
  })

  test('O2 the cache may evict anything, the state store nothing', async () => {
    expect(await infoOf(running(), 'images', 'maxmemory_policy')).toBe('allkeys-lru')
    expect(await infoOf(running(), 'images', 'aof_enabled')).toBe('0')
    expect(await infoOf(running(), 'actions', 'maxmemory_policy')).toBe('noeviction')
    expect(await infoOf(running(), 'actions', 'aof_enabled')).toBe('1')
  })

  test('O1 O2 a clean start warns of nothing', () => {
    const lines = logAtStart.split('\n')
    for (const service of SERVICES) expect(logAtStart).toContain(`"service":"${service}"`)
    expect(lines.filter((line) => /"level":"(?:warn|error|fatal)"/.test(line))).toEqual([])
  })

  test('O2 only the gateway publishes a port', async () => {
    expect(await running().published()).toEqual(['gateway'])
  })

  test('O2 every service runs without privileges, without sharp but in images, without packages of development', async () => {
    for (const service of SERVICES) {
      const script = `
        const has = (name) => { try { return require.resolve(name) !== '' } catch { return false } }
        console.log(JSON.stringify({ user: process.getuid(), sharp: has('sharp'), vitest: has('vitest'), vite: has('vite') }))`
      const output = await running().compose(
        'exec',
        '-T',
        '-w',
        `/app/services/${service}`,
        service,
        'node',
        '-e',
        script,
      )
      expect(JSON.parse(output)).toEqual({ user: 1000, sharp: service === 'images', vitest: false, vite: false })
    }
  })

  test('K4 an image adds less than 25 MB to that of Node, and holds nothing of development', async () => {
    const script = `du -sk /app | cut -f 1; find /app/services -name '*.map' -o -name '*.ts'`
    for (const service of SERVICES) {
      const [kilobytes, ...rest] = (await running().compose('exec', '-T', service, 'sh', '-c', script))
        .trim()
        .split('\n')
      expect(Number(kilobytes), service).toBeLessThan(25_000)
      expect(rest, service).toEqual([])
    }
  })

  test('C6 the command of the documentation purges a page in the container of a gateway', async () => {
    const command = ['node', 'services/gateway/purge-cli.js', '--path', ATLAS.detail.path]
    const output = await running().compose('exec', '-T', 'gateway', ...command)
    expect(output).toMatch(/^path .*: purged, generation [1-9]\d*/)
  })

  test('I4 images cannot reach the state store', async () => {
    const script = `require('dns').lookup('redis-state', (error) => console.log(error ? error.code : 'found'))`
    const output = await running().compose('exec', '-T', 'images', 'node', '-e', script)
    expect(output.trim()).not.toBe('found')
  })

  test('G2 image requests reach every replica', async () => {
    const page = unescapeHtml((await send(baseUrl(), ATLAS.home.path)).text)
    const found = [...page.matchAll(/\/_portico\/image\?url=([^&"\s]+)/g)].map((match) => match[1] ?? '')
    for (const source of new Set(found))
      for (const width of [64, 256]) {
        const url = imageUrl('', decodeURIComponent(source), width, 75)
        expect((await send(baseUrl(), url, { headers: { accept: 'image/webp' } })).status).toBe(200)
      }
    expect(await stack?.containers('images')).toHaveLength(3)
    const replicas = async () => {
      const log = (await stack?.compose('logs', '--no-color', '--no-log-prefix', 'gateway')) ?? ''
      return log.split('\n').flatMap((line) => {
        // Compose may put control sequences in front of a line, and the last line may be incomplete.
        const start = line.indexOf('{')
        if (start < 0 || !line.trimEnd().endsWith('}')) return []
        const { event, by, replica } = JSON.parse(line.slice(start)) as Record<string, unknown>
        return event === 'request' && by === 'images' && typeof replica === 'string' ? replica : []
      })
    }
    await expect.poll(async () => new Set(await replicas()).size).toBe(3)
  })

  test('O7 the status page counts the replicas of every service', async () => {
    const services = async () => (JSON.parse((await send(baseUrl(), '/api/status')).text) as StackStatus).services
    const counts = async () =>
      Object.fromEntries((await services()).map(({ name, replicas }): [string, unknown] => [name, replicas]))
    const one = { known: 1, ready: 1 }
    await expect
      .poll(counts)
      .toEqual({ ...{ gateway: one, renderer: one, actions: one }, images: { known: 3, ready: 3 } })
    const missesOf = async () => (await services()).find(({ name }) => name === 'images')?.cache.miss
    await expect.poll(missesOf).toBeGreaterThan(0)
    await expect.poll(async () => (await send(baseUrl(), '/status')).text).toContain('3 of 3 ready')
  })

  /** A field of all containers of all services, by Go template. */
  const fieldOf = async (template: string) => {
    const ids = (await Promise.all(SERVICES.map((service) => running().containers(service)))).flat()
    return Promise.all(ids.sort().map((container) => running().inspect(container, template)))
  }

  // Before the next test: a container that is starting has no handler for SIGTERM yet.
  test('O5 every container of every service exits with 0 on SIGTERM under load', async () => {
    const load = startLoad(baseUrl(), [ATLAS.home.path, ATLAS.detail.path, ATLAS.api.path])
    await running().compose('stop', ...SERVICES)
    await load.stop()
    expect(await fieldOf('{{.State.ExitCode}} {{.State.OOMKilled}}')).toEqual(Array(6).fill('0 false'))
    await running().compose('up', '-d', '--no-build', '--wait', ...SCALE, ...SERVICES)
    await answersAllSoon()
  })

  test('O2 every service is restarted when it is killed', async () => {
    const restarts = async () => (await fieldOf('{{.RestartCount}}')).reduce((sum, count) => sum + Number(count), 0)
    const before = await restarts()
    await Promise.all(
      SERVICES.map((service) => {
        // From inside: the engine does not restart a container that it has killed itself.
        const script = `
      const fs = require('node:fs')
      for (const id of fs.readdirSync('/proc').map(Number).filter((id) => id > 1 && id !== process.pid))
        if (fs.readFileSync('/proc/' + id + '/cmdline', 'utf8').includes('services/${service}/main.js')) process.kill(id, 'SIGKILL')`
        // The container ends while this command runs in it.
        return running()
          .compose('exec', '-T', service, 'node', '-e', script)
          .catch(() => '')
      }),
    )
    await expect.poll(restarts, { timeout: 30_000 }).toBe(before + SERVICES.length)
    await answersAllSoon()
  })
})
