// The end-to-end suite against docker compose with another app folder, and then with HTTPS in front of the same project
// (docker/compose.https.yml): what Caddy and the gateway tell each other.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComposeStack, startCompose } from '../../harness/compose-stack.ts'
import { cookiesOf, postForm, send } from '../../harness/http.ts'
import { copyApp, makeFolder } from '../../harness/processes.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { describeSite } from '../http/suite.ts'
import { type HttpsStack, startHttps } from './caddy.ts'
import { describeRedisUsers } from './compose-redis.ts'

let plain: ComposeStack | undefined
let folder: Awaited<ReturnType<typeof makeFolder>>

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

  test('G6 answers pages over https, with HSTS', async () => {
    const answer = await send(stack.secureUrl, FIXTURE.home.path)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(FIXTURE.home.text)
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')
  })

  test('G6 sends http to https, path and query kept', async () => {
    const answer = await send(stack.plainUrl, '/items/six?tab=1')
    expect([answer.status, answer.headers.location]).toEqual([308, `${stack.secureUrl}/items/six?tab=1`])
  })

  test('G1 publishes no port but those of Caddy', async () => {
    expect(await stack.published()).toEqual(['caddy'])
  })

  test('A4 takes a form of its own pages by their https origin, and none of others', async () => {
    // As browsers that say nothing of where a request comes from but its origin.
    const postFrom = (origin: string, user: string) =>
      postForm({
        ...{ baseUrl: stack.secureUrl, path: '/counter', text: 'user', fields: { user } },
        headers: { origin, 'sec-fetch-site': '' },
      })
    const answer = await postFrom(stack.secureUrl, 'ida')
    expect([answer.status, answer.headers.location]).toEqual([303, '/headers'])
    expect(answer.headers['set-cookie']?.join('\n')).toMatch(/^session=ida; .*HttpOnly; Secure; SameSite=Lax$/m)
    expect((await send(stack.secureUrl, '/headers', { headers: { ...cookiesOf(answer) } })).text).toContain('ida')
    for (const origin of [stack.secureUrl.replace('https:', 'http:'), 'https://evil.example'])
      expect((await postFrom(origin, 'ole')).status).toBe(403)
  })

  test('G5 tells the site the address of the visitor, not that of Caddy, and believes no forged one', async () => {
    const [caddy = ''] = await stack.containers('caddy')
    const addressOf = (field: string) => stack.inspect(caddy, `{{range .NetworkSettings.Networks}}{{.${field}}}{{end}}`)
    const visitor = await addressOf('Gateway')
    for (const headers of [{}, { 'x-forwarded-for': '203.0.113.9' }]) {
      const { text } = await send(stack.secureUrl, '/api/echo', { headers })
      expect(JSON.parse(text)).toMatchObject({ address: visitor })
    }
    expect(await addressOf('IPAddress')).not.toBe(visitor)
  })

  test('G5 tells the site its https origin', async () => {
    const { text } = await send(stack.secureUrl, '/api/echo')
    expect(JSON.parse(text)).toMatchObject({ origin: stack.secureUrl })
  })
})
