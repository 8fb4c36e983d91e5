// The end-to-end suite against docker compose, with an app folder outside of the repository and three replicas for images;
// then with HTTPS in front of the same project (docker/compose.https.yml): the headers between Caddy and the gateway. The
// sample site in containers: infra/e2e/long/compose.long.ts.

import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComposeStack, startCompose } from '../../harness/compose-stack.ts'
import { cookiesOf, postForm, send, unescapeHtml } from '../../harness/http.ts'
import { startLoad } from '../../harness/load.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { describeSite } from '../http/suite.ts'
import { type HttpsStack, startHttps } from './caddy.ts'
import { countKeys, describeRedisUsers, infoOf } from './compose-redis.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions']
const SCALE = ['--scale', 'images=3']

let stack: ComposeStack | undefined
let folder: TemporaryFolder
let logAtStart = ''

beforeAll(async () => {
  folder = await makeFolder('compose-site')
  await copyApp(FIXTURE.appDir, folder.path)
  stack = await startCompose({ appDir: folder.path, up: SCALE })
  logAtStart = await stack.compose('logs', '--no-color', ...SERVICES)
})
afterAll(async () => {
  await stack?.down()
  await folder?.remove()
})

const running = () => {
  if (!stack) throw new Error('the stack is not up')
  return stack
}

describe('docker compose with APP_DIR and --scale images=3', () => {
  const baseUrl = () => running().baseUrl

  describeSite('in containers, with three replicas for images', { site: FIXTURE, baseUrl })

  const imageOf = async () => {
    const page = unescapeHtml((await send(baseUrl(), FIXTURE.home.path)).text)
    return decodeURIComponent(/\/_portico\/image\?url=([^&"\s]+)/.exec(page)?.[1] ?? '')
  }
  const answersAll = async () => {
    const targets = [FIXTURE.home.path, FIXTURE.detail.path, FIXTURE.api.path, imageUrl('', await imageOf(), 640, 75)]
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
    const command = ['node', 'services/gateway/purge-cli.js', '--path', FIXTURE.detail.path]
    const output = await running().compose('exec', '-T', 'gateway', ...command)
    expect(output).toMatch(/^path .*: purged, generation [1-9]\d*/)
  })

  test('O9 the command of the documentation explains a request in the container of a gateway', async () => {
    const { path } = FIXTURE.detail
    const command = ['node', 'services/gateway/why-cli.js', `${path}/`]
    expect(await running().compose('exec', '-T', 'gateway', ...command)).toContain(`${path}/: 308 to ${path}, by `)
  })

  test('K2 data functions and actions have one DATA_DIR', async () => {
    await running().compose('exec', '-T', 'actions', 'sh', '-c', 'echo kept > $DATA_DIR/note.txt')
    expect(await running().compose('exec', '-T', 'renderer', 'sh', '-c', 'cat $DATA_DIR/note.txt')).toBe('kept\n')
  })

  test('I4 images cannot reach the state store', async () => {
    const script = `require('dns').lookup('redis-state', (error) => console.log(error ? error.code : 'found'))`
    const output = await running().compose('exec', '-T', 'images', 'node', '-e', script)
    expect(output.trim()).not.toBe('found')
  })

  test('G2 image requests reach every replica', async () => {
    // A replica is chosen by address, width and quality of the image.
    const source = await imageOf()
    const urls = [16, 32, 48, 64, 96, 128, 256, 384].map((width) => imageUrl('', source, width, 75))
    for (const url of urls) expect((await send(baseUrl(), url, { headers: { accept: 'image/webp' } })).status).toBe(200)
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

  test('O4 the status on the inner port of the gateway counts the replicas of every service', async () => {
    const print = `fetch('http://localhost:9090/status').then((response) => response.text()).then(console.log)`
    const services = async (): Promise<{ name: string; replicas: unknown; cache: { miss: number } }[]> =>
      JSON.parse(await running().compose('exec', '-T', 'gateway', 'node', '-e', print)).status.services
    const one = { known: 1, ready: 1 }
    const found = await services()
    expect(Object.fromEntries(found.map(({ name, replicas }) => [name, replicas]))).toEqual({
      ...{ gateway: one, renderer: one, actions: one },
      images: { known: 3, ready: 3 },
    })
    expect(found.find(({ name }) => name === 'images')?.cache.miss).toBeGreaterThan(0)
  })

  /** A field of all containers of all services, by Go template. */
  const fieldOf = async (template: string) => {
    const ids = (await Promise.all(SERVICES.map((service) => running().containers(service)))).flat()
    return Promise.all(ids.sort().map((container) => running().inspect(container, template)))
  }

  // Before the next test: a container that is starting has no handler for SIGTERM yet.
  test('O5 every container of every service exits with 0 on SIGTERM under load', async () => {
    const load = startLoad(baseUrl(), [FIXTURE.home.path, FIXTURE.detail.path, FIXTURE.api.path])
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

  describeRedisUsers(running, async () => {
    const fields = { note: `note ${performance.now()}` }
    return (await postForm({ baseUrl: baseUrl(), path: '/form', fields })).status === 303
  })
})

describe('docker compose with HTTPS in front', () => {
  let secure: HttpsStack

  beforeAll(async () => {
    secure = await startHttps({ onto: running() })
  })
  // With the files that name Caddy, so that it is removed too.
  afterAll(() => secure?.down())

  test('G6 serves pages over https, with HSTS', async () => {
    const response = await send(secure.secureUrl, FIXTURE.home.path)
    expect(response.status).toBe(200)
    expect(response.text).toContain(FIXTURE.home.text)
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000')
  })

  test('G6 redirects http to https and keeps path and query', async () => {
    const response = await send(secure.plainUrl, '/items/six?tab=1')
    expect([response.status, response.headers.location]).toEqual([308, `${secure.secureUrl}/items/six?tab=1`])
  })

  test('G1 publishes no port but those of Caddy', async () => {
    expect(await secure.published()).toEqual(['caddy'])
  })

  test('A4 accepts a form of its own pages by their https origin, and none of other sites', async () => {
    // As browsers that send only Origin, and no Sec-Fetch-Site.
    const postFrom = (origin: string, user: string) =>
      postForm({
        ...{ baseUrl: secure.secureUrl, path: '/counter', text: 'user', fields: { user } },
        headers: { origin, 'sec-fetch-site': '' },
      })
    const response = await postFrom(secure.secureUrl, 'ida')
    expect([response.status, response.headers.location]).toEqual([303, '/headers'])
    expect(response.headers['set-cookie']?.join('\n')).toMatch(/^session=ida; .*HttpOnly; Secure; SameSite=Lax$/m)
    expect((await send(secure.secureUrl, '/headers', { headers: { ...cookiesOf(response) } })).text).toContain('ida')
    for (const origin of [secure.secureUrl.replace('https:', 'http:'), 'https://evil.example'])
      expect((await postFrom(origin, 'ole')).status).toBe(403)
  })

  test('G5 reports the address of the client to the site, not that of Caddy, and ignores a forged one', async () => {
    const [caddy = ''] = await secure.containers('caddy')
    const addressOf = (field: string) =>
      secure.inspect(caddy, `{{range .NetworkSettings.Networks}}{{.${field}}}{{end}}`)
    const client = await addressOf('Gateway')
    for (const headers of [{}, { 'x-forwarded-for': '203.0.113.9' }]) {
      const { text } = await send(secure.secureUrl, '/api/echo', { headers })
      expect(JSON.parse(text)).toMatchObject({ address: client })
    }
    expect(await addressOf('IPAddress')).not.toBe(client)
  })

  test('O7 the gateway reads the certificate that Caddy serves', async () => {
    const script = "fetch('http://127.0.0.1:9090/metrics').then((response) => response.text()).then(console.log)"
    const figure = async (name: string) => {
      const metrics = await secure.compose('exec', '-T', 'gateway', 'node', '-e', script)
      return Number(new RegExp(`^portico_certificate_${name}\\{name="localhost".*\\} (\\S+)$`, 'm').exec(metrics)?.[1])
    }
    // Caddy makes its certificate after the first attempt of the gateway.
    await expect.poll(() => figure('read'), { timeout: 40_000 }).toBe(1)
    const now = Date.now() / 1000
    expect(await figure('not_before_seconds')).toBeLessThan(now)
    expect(await figure('not_after_seconds')).toBeGreaterThan(now)
  })

  test('G5 reports the https origin to the site', async () => {
    const { text } = await send(secure.secureUrl, '/api/echo')
    expect(JSON.parse(text)).toMatchObject({ origin: secure.secureUrl })
  })
})
