// A service as a child process, tested with real processes.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createStackLog } from './pretty-log.ts'
import { createServiceProcess, type ServiceProcess } from './service-process.ts'

/** Ready immediately; exits with 0 on SIGTERM, and when its parent has exited. */
const GOOD = `
import { createServer } from 'node:http'
createServer((request, response) => response.end('{}')).listen(Number(process.env.INNER_PORT), '127.0.0.1', () => process.send('listening'))
console.log('{"service":"good","msg":"here"}')
console.log(JSON.stringify({ service: 'good', msg: 'word: ' + process.env.WORD }))
console.log(JSON.stringify({ service: 'good', msg: process.execArgv.join(' ') }))
for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0))
`
const BAD = `console.error('no way'); process.exit(3)`
const STUBBORN = `${GOOD}\nprocess.removeAllListeners('SIGTERM'); process.on('SIGTERM', () => {})`

let folder: string
let lines: Record<string, unknown>[]
let running: ServiceProcess | undefined
/** The environment of the first process. */
let given: NodeJS.ProcessEnv

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-service-'))
  lines = []
})

afterEach(async () => {
  running?.kill()
  await rm(folder, { recursive: true, force: true })
})

async function start(source: string): Promise<ServiceProcess> {
  const script = join(folder, 'main.mjs')
  await writeFile(script, source)
  const innerPort = await freePort()
  const out = { write: (text: string) => lines.push(JSON.parse(text)) > 0 }
  given = { ...bareEnvironment(), INNER_PORT: String(innerPort) }
  running = createServiceProcess({
    name: 'good',
    script,
    nodeFlags: ['--max-semi-space-size=2'],
    cwd: folder,
    environment: given,
    readyUrl: `http://127.0.0.1:${innerPort}/readyz`,
    log: createStackLog({ out, json: true, colour: false }),
  })
  return running
}

const messages = () => lines.map((line) => String(line.msg))

describe('service process', () => {
  test('O1 is ready when its probe reports ready, and stops with 0', async () => {
    const service = await start(GOOD)
    await service.ready(5000)
    expect(messages()).toEqual(expect.arrayContaining(['here', '--max-semi-space-size=2']))
    expect(await service.stop(5000)).toBe(0)
    expect(service.pid()).toBeUndefined()
  })

  test('O1 starts again after it was killed', async () => {
    const service = await start(GOOD)
    await service.ready(5000)
    const first = service.pid()
    process.kill(first ?? 0, 'SIGKILL')
    await expect.poll(() => service.pid() !== undefined && service.pid() !== first, { timeout: 5000 }).toBe(true)
    await service.ready(5000)
    expect(messages()).toContain('good was ended by SIGKILL; starting it again in 250 ms')
  })

  test('V1 replaces the process by one with another environment, once', async () => {
    const service = await start(GOOD)
    await service.ready(5000)
    const environment = (WORD: string) => ({ ...given, WORD })
    await Promise.all([service.restart(environment('one'), 5000), service.restart(environment('two'), 5000)])
    await service.ready(5000)
    expect(messages().filter((text) => text.startsWith('word: '))).toEqual(['word: undefined', 'word: two'])
    expect(messages().filter((text) => text.includes('starting it again'))).toEqual([])
    expect(await service.stop(5000)).toBe(0)
  })

  test('O1 gives up on a service that exits repeatedly before it is ready', async () => {
    const service = await start(BAD)
    await expect(service.ready(9000)).rejects.toThrow('good ended with code 3 before it was ready, 3 times')
    expect(messages().filter((text) => text === 'no way')).toHaveLength(3)
  })

  test('O1 does not restart a service that rejected its settings', async () => {
    const service = await start("console.error('not this one'); process.exit(78)")
    await expect(service.ready(9000)).rejects.toThrow('good rejected its settings')
    expect(messages()).toEqual(['not this one'])
  })

  test('O1 names the late service', async () => {
    const service = await start('setInterval(() => {}, 1000)')
    await expect(service.ready(300)).rejects.toThrow('good is not ready after 0.3 s')
  })

  test('O1 is not ready while another program responds at its port', async () => {
    const service = await start('setInterval(() => {}, 1000)')
    const other = createServer((_request, response) => response.end('{}'))
    await new Promise<void>((resolve) => other.listen(Number(given.INNER_PORT), '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    await expect(service.ready(500)).rejects.toThrow('good is not ready after 0.5 s')
  })

  test('O5 kills a service that does not stop by the deadline', async () => {
    const service = await start(STUBBORN)
    await service.ready(5000)
    expect(await service.stop(200)).toBe(1)
    expect(messages()).toContain('good did not stop within 200 ms and is killed')
  })
})
