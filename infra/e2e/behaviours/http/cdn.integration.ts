// A stack behind a CDN that keeps pages by their tags: gateway, renderer and actions as processes, changed by actions.

import { join } from 'node:path'
import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../harness/http.ts'
import { ended, makeFolder } from '../../harness/processes.ts'
import { loadActionIds } from '../../harness/replicas.ts'
import { startServiceProcess } from '../../harness/service-process.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { type CachingCdn, startCachingCdn } from './caching-cdn.ts'

const AUTHORIZATION = 'Bearer secret-of-the-cdn'
const TOKEN = 't'.repeat(40)
const ends: (() => unknown)[] = []
let cdn: CachingCdn
let publishNews = ''
let gatewayInnerUrl = ''

beforeAll(async () => {
  cdn = await startCachingCdn(AUTHORIZATION)
  const data = await makeFolder('cdn')
  ends.push(data.remove, cdn.close)
  const names = ['gateway', 'renderer', 'actions'] as const
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, [await freePort(), await freePort()]])),
  ) as Record<(typeof names)[number], [number, number]>
  const urlOf = (port: number) => `http://127.0.0.1:${port}`
  const common = {
    HOST: '127.0.0.1',
    SITE_PORT: String(await freePort()),
    APP_DIR: FIXTURE.appDir,
    DATA_DIR: join(data.path, 'data'),
    STACK_TOKEN: TOKEN,
    ACTION_KEYS: 'k'.repeat(40),
    CDN_TAGS: 'on',
    CDN_PURGE_URL: cdn.purgeUrl,
    CDN_PURGE_AUTHORIZATION: AUTHORIZATION,
    // No image is requested.
    IMAGES_URL: urlOf(ports.actions[0]),
    RENDERER_URL: urlOf(ports.renderer[0]),
    ACTIONS_URL: urlOf(ports.actions[0]),
    ...fromStack({
      innerUrls: {
        gateway: [urlOf(ports.gateway[1])],
        renderer: [urlOf(ports.renderer[1])],
        images: [urlOf(ports.actions[1])],
        actions: [urlOf(ports.actions[1])],
      },
    }),
  }
  const start = async (service: (typeof names)[number]) => {
    const [port, innerPort] = ports[service]
    const environment = { ...common, PORT: String(port), INNER_PORT: String(innerPort) }
    const running = startServiceProcess({ service, innerUrl: urlOf(innerPort), environment })
    ends.push(() => {
      running.child.kill('SIGKILL')
      return ended(running.child)
    })
    await running.ready()
  }
  await Promise.all([start('actions'), start('renderer')])
  await start('gateway')
  cdn.origin = urlOf(ports.gateway[0])
  gatewayInnerUrl = urlOf(ports.gateway[1])
  publishNews = (await loadActionIds(FIXTURE.appDir)).get('publishNews') ?? ''
})

afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

/** What a client behind the CDN sees. */
const issue = async (path = '/news') => {
  const { text, headers } = await send(cdn.url, path)
  return { issue: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0], by: headers['x-cdn'], headers }
}
const keptIssue = async (path = '/news') => {
  await expect.poll(async () => (await issue(path)).by, { timeout: 10_000 }).toBe('HIT')
  return (await issue(path)).issue
}
let keys = 0
const publish = async () => {
  const headers = {
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
    'portico-action': publishNews,
    'idempotency-key': String(keys++).padStart(22, 'K'),
  }
  const { status } = await send(cdn.url, '/news', { method: 'POST', headers, body: '{"args":[]}' })
  expect(status).toBe(200)
}
/** The purge of an operator. */
const purge = async (path: string) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` }
  const body = JSON.stringify({ paths: [path] })
  expect((await send(gatewayInnerUrl, '/internal/purge', { method: 'POST', headers, body })).status).toBe(200)
}

const ALL = { everything: true, tags: [] }
const namesOf = (...tags: string[]) => ({ everything: false, tags })

test('C6 a CDN keeps page and data until an action revalidates their tag or an operator purges the path, then shows the new ones', async () => {
  // The first start of a version purges everything.
  await expect.poll(() => cdn.purges, { timeout: 10_000 }).toEqual([ALL])
  const { headers } = await issue()
  expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate')
  const data = `/_portico/data/${headers['portico-build']}/news.json`
  let before = await keptIssue()
  expect(await keptIssue(data)).toBe(before)
  const changes = [
    { change: publish, sent: namesOf('news') },
    { change: () => purge('/news'), sent: namesOf('path~%2Fnews') },
  ]
  for (const { change, sent } of changes) {
    await change()
    await expect.poll(async () => (await issue()).issue, { timeout: 10_000 }).not.toBe(before)
    before = await keptIssue()
    expect(await keptIssue(data)).toBe(before)
    expect(cdn.purges.splice(1)).toEqual([sent])
  }
})

test('C6 the CDN keeps no page of one client', async () => {
  const seen = await Promise.all(['/headers', '/headers', '/none', '/none'].map((path) => send(cdn.url, path)))
  for (const { headers } of seen) expect(headers).toMatchObject({ 'x-cdn': 'MISS', 'cdn-cache-control': 'no-store' })
})
