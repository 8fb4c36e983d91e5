// The command line for purges against inner ports, as an operator would run it.

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSecretFile } from '@portico/shared/kit/secrets/open-secrets.ts'
import { removeStackAddresses, writeStackAddresses } from '@portico/shared/kit/store/stack-addresses.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { hasRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const CLI = fileURLToPath(new URL('./purge-cli.ts', import.meta.url))
const TOKEN = 'a-token-of-at-least-32-characters'

describe('the command line for purges', () => {
  const requests: { url: string | undefined; authorization: string | undefined; body: string }[] = []
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-purge-cli-'))
  let status = 200
  const REPLY = {
    generation: 7,
    replicas: 3,
    processes: { gateway: { confirmed: 1, failed: 0 }, renderer: { confirmed: 2, failed: 1 } },
  }
  let reply = JSON.stringify(REPLY)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    requests.push({
      url: request.url,
      authorization: request.headers.authorization,
      body: Buffer.concat(chunks).toString(),
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 200 ? reply : 'no')
  })
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
  beforeEach(() => void requests.splice(0))
  afterAll(() => {
    rmSync(dataDir, { recursive: true })
    server.closeAllConnections()
    server.close()
  })

  // A TCP server that listens has an AddressInfo.
  const innerUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const purge = (
    args: string[],
    environment: Record<string, string> = {},
    given: Record<string, string> = {
      STACK_TOKEN: TOKEN,
      INNER_PORT: new URL(innerUrl()).port,
      IMAGES_URL: 'http://127.0.0.1',
    },
  ) => {
    const env = { ...bareEnvironment(), DATA_DIR: dataDir, ...given, ...environment }
    const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    return new Promise<{ code: number | null; output: string }>((done) =>
      child.once('close', (code) => done({ code, output })),
    )
  }

  test('C6 sends pages, data and tags as one change with the token of the stack', async () => {
    const { code, output } = await purge(['--path', '/a', '--page-tag', 'x', '--page-tag', 'y', '--path', '/b'])
    expect({ code, output }).toEqual({
      code: 0,
      output: ['path /a', 'path /b', 'page-tag x', 'page-tag y']
        .map((name) => `${name}: purged, generation 7: 1 gateway, 2 of 3 renderers\n`)
        .join(''),
    })
    reply = '{"generation":0}'
    const uncounted = await purge(['--pages'])
    reply = JSON.stringify(REPLY)
    expect(uncounted).toMatchObject({
      code: 0,
      output: 'pages: purged, without the state store, which counts the purge when it is back\n',
    })
    expect(requests.splice(0)).toEqual(
      ['{"paths":["/a","/b"],"tags":["x","y"],"everything":false}', '{"paths":[],"tags":[],"everything":true}'].map(
        (body) => ({ url: '/internal/purge', authorization: `Bearer ${TOKEN}`, body }),
      ),
    )
  })

  test('C6 finds the stack of npm start and its token in DATA_DIR, and makes nothing there itself', async () => {
    const args = ['--path', '/a', '--tag', 'x']
    const missing = await purge(args, {}, {})
    expect(missing).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^portico purge: STACK_TOKEN is not set: .*does not exist/),
    })
    expect(readdirSync(dataDir)).toEqual([])
    const token = await loadSecretFile('stack-token', dataDir)
    writeStackAddresses(dataDir, { gateway: new URL(innerUrl()), images: [new URL(innerUrl())] })
    const { code } = await purge(args, { STATE_REDIS_URL: 'redis://127.0.0.1:1' }, {})
    removeStackAddresses(dataDir)
    expect(code).toBe(0)
    expect(requests.splice(0).map(({ authorization }) => authorization)).toEqual([`Bearer ${token}`, `Bearer ${token}`])
  })

  test.skipIf(!hasRedis())(
    'C6 in a gateway container it finds its ports, and the token in the state Redis',
    async () => {
      const redis = await startStackRedis('redis-state')
      try {
        const store = { STATE_REDIS_URL: redis.urlOf('gateway').href, IMAGES_URL: 'http://127.0.0.1:1' }
        const environment = { ...store, INNER_PORT: new URL(innerUrl()).port, DATA_DIR: '/nowhere' }
        const args = ['--path', '/a', '--tag', 'x']
        const early = await purge(args, environment, {})
        expect(early).toMatchObject({
          code: 2,
          output: expect.stringContaining('there is no portico:secret:stack-token'),
        })
        const token = 'a-token-of-the-state-store-of-this-test'
        const admin = new Redis(redis.url.href)
        await admin.set('portico:secret:stack-token', JSON.stringify({ rotation: 2, createdAt: 1, value: token }))
        admin.disconnect()
        expect((await purge(args, environment, {})).code).toBe(0)
        expect(requests.splice(0).map(({ authorization }) => authorization)).toEqual(Array(2).fill(`Bearer ${token}`))
      } finally {
        await redis.stop()
      }
    },
  )

  test('C6 I9 sends everything to a gateway and to each images replica', async () => {
    const { code, output } = await purge(['--everything'], { IMAGES_URL: 'http://127.0.0.1,http://127.0.0.1' })
    expect({ code, output }).toEqual({
      code: 0,
      output:
        'pages: purged, generation 7: 1 gateway, 2 of 3 renderers\nimages: purged, generation 7: 3 images replicas\n',
    })
    const images = '{"everything":true}'
    expect(requests.splice(0).map(({ body }) => body)).toEqual([
      '{"paths":[],"tags":[],"everything":true}',
      images,
      images,
    ])
  })

  test('I9 sends each purge with the token of the stack', async () => {
    // No count: one replica.
    reply = '{"generation":7}'
    const { code, output } = await purge(['--source', '/a.jpg', '--tag', 'x', '--tag', 'y', '--prefix', '/b'])
    expect({ code, output }).toEqual({
      code: 0,
      output: [
        'source /a.jpg: purged, generation 7: 1 images replica\n',
        'prefix /b: purged, generation 7: 1 images replica\n',
        'tag x: purged, generation 7: 1 images replica\n',
        'tag y: purged, generation 7: 1 images replica\n',
      ].join(''),
    })
    reply = JSON.stringify(REPLY)
    expect(requests.map(({ body }) => body)).toEqual([
      '{"source":"/a.jpg"}',
      '{"prefix":"/b"}',
      '{"tag":"x"}',
      '{"tag":"y"}',
    ])
    expect(requests[0]).toMatchObject({ url: '/internal/purge', authorization: `Bearer ${TOKEN}` })
  })

  test('C6 I9 reports the fault and exits with 1', async () => {
    status = 503
    const failed = await purge(['--tag', 'x', '--path', '/a'])
    const { host } = new URL(innerUrl())
    expect(failed).toEqual({ code: 1, output: `path /a: ${host}: 503 no\ntag x: ${host}: 503 no\n` })
    status = 200
    const unreachable = await purge(['--tag', 'x'], { INNER_PORT: '9' })
    expect(unreachable.code).toBe(1)
    expect(unreachable.output).toMatch(/^tag x: 127\.0\.0\.1:9: \S/)
  })

  test('C6 I9 shows its help, and exits with 2 for bad options', async () => {
    const help = await purge(['--help'], { STACK_TOKEN: '' })
    expect(help.code).toBe(0)
    const pageOptions = ['--path', '--page-tag', '--pages', '--everything']
    const imageOptions = ['--source', '--prefix', '--tag', '--images']
    for (const word of [...pageOptions, ...imageOptions, 'portico purge', 'STACK_TOKEN', 'INNER_PORT', 'IMAGES_URL'])
      expect(help.output).toContain(word)
    const before = requests.length
    expect(await purge([])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^portico purge: nothing to purge: give .* see portico purge --help\n$/),
    })
    expect(await purge(['--images', '--path', 'a'])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^portico purge: --path="a" must begin/),
    })
    expect(await purge(['--all'])).toEqual({
      code: 2,
      output: "portico purge: Unknown option '--all'; see portico purge --help\n",
    })
    expect(await purge(['--tag', 'x'], { STACK_TOKEN: '', DATA_DIR: '/nowhere' })).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^portico purge: .*STACK_TOKEN/),
    })
    expect(requests.length).toBe(before)
  })
})
