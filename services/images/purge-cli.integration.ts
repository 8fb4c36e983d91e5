// The command line for purges against an inner port, as an operator would run it.

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const CLI = fileURLToPath(new URL('./purge-cli.ts', import.meta.url))
const TOKEN = 'a-token-of-at-least-32-characters'

describe('the command line for purges', () => {
  const requests: { url: string | undefined; authorization: string | undefined; body: string }[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    requests.push({
      url: request.url,
      authorization: request.headers.authorization,
      body: Buffer.concat(chunks).toString(),
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 200 ? '{"generation":7}' : 'no')
  })
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const purge = (args: string[], environment: Record<string, string> = {}) => {
    // A TCP server that listens has an AddressInfo.
    const { port } = server.address() as AddressInfo
    const env = {
      PATH: process.env.PATH ?? '',
      STACK_TOKEN: TOKEN,
      IMAGES_INNER_URL: `http://127.0.0.1:${port}`,
      ...environment,
    }
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

  test('I9 sends each purge with the token of the stack', async () => {
    const { code, output } = await purge(['--source', '/a.jpg', '--tag', 'x', '--tag', 'y', '--prefix', '/b'])
    expect({ code, output }).toEqual({
      code: 0,
      output: [
        'source /a.jpg: purged, generation 7\n',
        'prefix /b: purged, generation 7\n',
        'tag x: purged, generation 7\n',
        'tag y: purged, generation 7\n',
      ].join(''),
    })
    expect(requests.map(({ body }) => body)).toEqual([
      '{"source":"/a.jpg"}',
      '{"prefix":"/b"}',
      '{"tag":"x"}',
      '{"tag":"y"}',
    ])
    expect(requests[0]).toMatchObject({ url: '/internal/purge', authorization: `Bearer ${TOKEN}` })
  })

  test('I9 reports the fault and exits with 1', async () => {
    status = 503
    expect(await purge(['--tag', 'x'])).toEqual({ code: 1, output: 'tag x: 503 no\n' })
    status = 200
    const unreachable = await purge(['--tag', 'x'], { IMAGES_INNER_URL: 'http://127.0.0.1:9' })
    expect(unreachable.code).toBe(1)
    expect(unreachable.output).toMatch(/^tag x: 127\.0\.0\.1:9: \S/)
  })

  test('I9 shows its help, and exits with 2 for bad options', async () => {
    const help = await purge(['--help'], { STACK_TOKEN: '' })
    expect(help.code).toBe(0)
    for (const word of ['--source', '--prefix', '--tag', 'STACK_TOKEN', 'IMAGES_INNER_URL'])
      expect(help.output).toContain(word)
    const before = requests.length
    expect(await purge([])).toMatchObject({ code: 2, output: expect.stringContaining('--help') })
    expect(await purge(['--all'])).toMatchObject({ code: 2, output: expect.stringContaining('--all') })
    expect(await purge(['--tag', 'x'], { STACK_TOKEN: '' })).toMatchObject({
      code: 2,
      output: expect.stringContaining('STACK_TOKEN'),
    })
    expect(requests.length).toBe(before)
  })
})
