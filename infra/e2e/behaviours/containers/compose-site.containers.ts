// The end-to-end suite against docker compose with another app folder, and then with HTTPS in front of the same project
// (docker/compose.https.yml): the headers between Caddy and the gateway.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComposeStack, startCompose } from '../../harness/compose-stack.ts'
import { cookiesOf, postForm, send } from '../../harness/http.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { describeSite } from '../http/suite.ts'
import { type HttpsStack, startHttps } from './caddy.ts'
import { describeRedisUsers } from './compose-redis.ts'

let plain: ComposeStack | undefined
let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('compose-site')
  await copyApp(FIXTURE.appDir, folder.path)
  plain = await startCompose({ appDir: folder.path })
})
afterAll(async () => {
  await plain?.down()
  await folder?.remove()
})

const running = () => {
  if (!plain) throw new Error('the stack is not up')
  return plain
}

describe('docker compose with APP_DIR', () => {
  describeSite('in containers', { site: FIXTURE, baseUrl: () => running().baseUrl })
  describeRedisUsers(running, async () => {
    const fields = { note: `note ${performance.now()}` }
    return (await postForm({ baseUrl: running().baseUrl, path: '/form', fields })).status === 303
  })
})

describe('docker compose with HTTPS in front', () => {
  let stack: HttpsStack

  beforeAll(async () => {
    stack = await startHttps({ onto: running() })
  })
  // With the files that name Caddy, so that it is removed too.
  afterAll(() => stack?.down())

  test('G6 serves pages over https, with HSTS', async () => {
    const response = await send(stack.secureUrl, FIXTURE.home.path)
    expect(response.status).toBe(200)
    expect(response.text).toContain(FIXTURE.home.text)
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000')
  })

  test('G6 redirects http to https and keeps path and query', async () => {
    const response = await send(stack.plainUrl, '/items/six?tab=1')
    expect([response.status, response.headers.location]).toEqual([308, `${stack.secureUrl}/items/six?tab=1`])
  })

  test('G1 publishes no port but those of Caddy', async () => {
    expect(await stack.published()).toEqual(['caddy'])
  })

  test('A4 accepts a form of its own pages by their https origin, and none of other sites', async () => {
    // As browsers that send only Origin, and no Sec-Fetch-Site.
    const postFrom = (origin: string, user: string) =>
      postForm({
        ...{ baseUrl: stack.secureUrl, path: '/counter', text: 'user', fields: { user } },
        headers: { origin, 'sec-fetch-site': '' },
      })
    const response = await postFrom(stack.secureUrl, 'ida')
    expect([response.status, response.headers.location]).toEqual([303, '/headers'])
    expect(response.headers['set-cookie']?.join('\n')).toMatch(/^session=ida; .*HttpOnly; Secure; SameSite=Lax$/m)
    expect((await send(stack.secureUrl, '/headers', { headers: { ...cookiesOf(response) } })).text).toContain('ida')
    for (const origin of [stack.secureUrl.replace('https:', 'http:'), 'https://evil.example'])
      expect((await postFrom(origin, 'ole')).status).toBe(403)
  })

  test('G5 reports the address of the client to the site, not that of Caddy, and ignores a forged one', async () => {
    const [caddy = ''] = await stack.containers('caddy')
    const addressOf = (field: string) => stack.inspect(caddy, `{{range .NetworkSettings.Networks}}{{.${field}}}{{end}}`)
    const client = await addressOf('Gateway')
    for (const headers of [{}, { 'x-forwarded-for': '203.0.113.9' }]) {
      const { text } = await send(stack.secureUrl, '/api/echo', { headers })
      expect(JSON.parse(text)).toMatchObject({ address: client })
    }
    expect(await addressOf('IPAddress')).not.toBe(client)
  })

  test('O7 the gateway reads the certificate that Caddy serves', async () => {
    const script = "fetch('http://127.0.0.1:9090/metrics').then((response) => response.text()).then(console.log)"
    const figure = async (name: string) => {
      const metrics = await stack.compose('exec', '-T', 'gateway', 'node', '-e', script)
      return Number(new RegExp(`^portico_certificate_${name}\\{name="localhost".*\\} (\\S+)$`, 'm').exec(metrics)?.[1])
    }
    // Caddy makes its certificate after the first attempt of the gateway.
    await expect.poll(() => figure('read'), { timeout: 40_000 }).toBe(1)
    const now = Date.now() / 1000
    expect(await figure('not_before_seconds')).toBeLessThan(now)
    expect(await figure('not_after_seconds')).toBeGreaterThan(now)
  })

  test('G5 reports the https origin to the site', async () => {
    const { text } = await send(stack.secureUrl, '/api/echo')
    expect(JSON.parse(text)).toMatchObject({ origin: stack.secureUrl })
  })
})
