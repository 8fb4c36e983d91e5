// The why command against an inner port and against logs, as an operator would run it.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { renderExplanation } from './command/render-explanation.ts'
import { renderTimeline } from './command/render-timeline.ts'
import { FROM_MEMORY } from './command/testing/explanations.ts'
import { FAILED } from './command/testing/log-lines.ts'
import { WHY_PATH } from './explanation.ts'

const CLI = fileURLToPath(new URL('./why-cli.ts', import.meta.url))
const TOKEN = 'a-token-of-at-least-32-characters'
const ID = '3f2a91c07be4d518'
const LOGS = FAILED.map(({ source, fields }) => `${source}  | ${JSON.stringify(fields)}\n`).join('')

describe('the why command', () => {
  const received: { target: string; authorization: string | undefined; question: unknown }[] = []
  const folder = mkdtempSync(join(tmpdir(), 'portico-why-cli-'))
  let status = 200
  let reply: unknown
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({
      target: `${request.method} ${request.url}`,
      authorization: request.headers.authorization,
      question: JSON.parse(Buffer.concat(chunks).toString()),
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
  beforeEach(() => {
    received.splice(0)
    status = 200
    reply = FROM_MEMORY
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
    server.closeAllConnections()
    server.close()
  })

  // A TCP server that listens has an AddressInfo.
  const port = () => String((server.address() as AddressInfo).port)
  const why = (args: string[], environment: Record<string, string> = {}, input = '') => {
    const env = { ...bareEnvironment(), DATA_DIR: folder, STACK_TOKEN: TOKEN, INNER_PORT: port(), ...environment }
    const child = spawn(process.execPath, [CLI, ...args], { env })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    // A command that reads no logs may end before.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    return new Promise<{ code: number | null; output: string }>((done) =>
      child.once('close', (code) => done({ code, output })),
    )
  }

  test('O9 sends the question with the token of the stack, and prints its explanation as text or JSON', async () => {
    const [text, json] = await Promise.all([
      why(['/places/skarnvik'], { PUBLIC_ORIGINS: 'https://atlas.example.org,https://b.example' }),
      why(['--json', 'http://c.example/a?b', '--method', 'head', '--cookie', 'a=1', '--client', '::1', '--run']),
    ])
    expect(text).toEqual({ code: 0, output: renderExplanation(FROM_MEMORY) })
    expect([json.code, JSON.parse(json.output)]).toEqual([0, FROM_MEMORY])
    const sent = { target: `POST ${WHY_PATH}`, authorization: `Bearer ${TOKEN}` }
    expect(received).toHaveLength(2)
    const headers = { host: 'atlas.example.org' }
    const page = { method: 'GET', url: '/places/skarnvik', headers, client: '127.0.0.1', run: false }
    expect(received).toContainEqual({ ...sent, question: page })
    const own = { method: 'HEAD', url: '/a?b', headers: { host: 'c.example', cookie: 'a=1' }, client: '::1', run: true }
    expect(received).toContainEqual({ ...sent, question: own })
  })

  test('O9 a gateway that refuses or cannot be reached is exit code 1 with what helps', async () => {
    status = 400
    reply = { error: { message: 'method="G" must be a method' } }
    const host = `127.0.0.1:${port()}`
    expect(await why(['/a'])).toEqual({
      code: 1,
      output: `portico why: the gateway at ${host} responded 400: method="G" must be a method\n`,
    })
    status = 401
    reply = { error: { title: 'no' } }
    const refused = why(['/a'])
    await expect.poll(() => received.length).toBe(2)
    expect((await refused).output).toContain('responded 401: no; set STACK_TOKEN to the token of the stack')
    status = 200
    reply = { another: 'program' }
    const [other, away] = await Promise.all([why(['/a']), why(['/a'], { INNER_PORT: '9' })])
    expect(other).toMatchObject({ code: 1, output: expect.stringContaining('responded 200: not an explanation') })
    expect(away).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /^portico why: the gateway at 127\.0\.0\.1:9 cannot be reached: .*; start the stack/,
      ),
    })
  })

  test('G7 explains a request by its id from a file and from standard input', async () => {
    const file = join(folder, 'portico.log')
    writeFileSync(file, LOGS)
    const text = renderTimeline(ID, { lines: FAILED, leftOut: 0 })
    const [fromFile, piped, json, missing, empty, unreadable] = await Promise.all([
      why([ID, '--logs', file]),
      why([ID], {}, LOGS),
      why(['5f0c1e9a7b', '--json', '--logs', file]),
      why(['0'.repeat(16)], {}, LOGS),
      why([ID]),
      why([ID, '--logs', join(folder, 'none')]),
    ])
    expect([fromFile, piped]).toEqual([
      { code: 0, output: text },
      { code: 0, output: text },
    ])
    expect(JSON.parse(json.output).map(({ source }: { source: string }) => source)).toEqual(['renderer-2', 'gateway-1'])
    expect(missing).toMatchObject({
      code: 1,
      output: expect.stringMatching(/is in none of the 2 log lines, from 2026-11.* ACCESS_LINES_PER_CLIENT/s),
    })
    expect(empty).toMatchObject({
      code: 2,
      output: expect.stringContaining('the logs are empty: give a file with --logs'),
    })
    expect(unreadable).toMatchObject({ code: 2, output: expect.stringMatching(/--logs=".*none": ENOENT/) })
    expect(received).toEqual([])
  })

  test('O9 shows its help, and exits with 2 for bad options and settings', async () => {
    const [help, nothing, unknown, untrusted, setting] = await Promise.all([
      why(['--help'], { PUBLIC_ORIGINS: 'none' }),
      why([]),
      why(['/a', '--all']),
      why(['/a'], { STACK_TOKEN: '', DATA_DIR: '/nowhere' }),
      why(['/a'], { PUBLIC_ORIGINS: 'none' }),
    ])
    expect(help.code).toBe(0)
    const options = ['--method', '--cookie', '--header', '--client', '--run', '--json', '--logs', '--help']
    for (const word of [...options, 'portico why', 'STACK_TOKEN', 'INNER_PORT']) expect(help.output).toContain(word)
    expect(nothing).toMatchObject({
      code: 2,
      output: expect.stringMatching(/nothing to explain: .* see portico why --help\n$/),
    })
    expect(unknown).toMatchObject({ code: 2, output: expect.stringMatching(/^portico why: Unknown option '--all'/) })
    expect(untrusted).toMatchObject({ code: 2, output: expect.stringMatching(/^portico why: STACK_TOKEN is not set/) })
    expect(setting).toMatchObject({ code: 2, output: expect.stringContaining('PUBLIC_ORIGINS') })
    expect(received).toEqual([])
  })
})
