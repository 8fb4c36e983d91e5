// The life of the stack on one machine: its messages when it cannot start, restarts of services, its end.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { forms, testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { PORTICO } from '../harness/framework.ts'
import { send, unescapeHtml } from '../harness/http.ts'
import { startLoad } from '../harness/load.ts'
import {
  copyApp,
  descendantsOf,
  ended,
  isRunning,
  listenersOf,
  makeFolder,
  run,
  type TemporaryFolder,
} from '../harness/processes.ts'
import { makeSite } from '../sites/make-site.ts'
import { FIXTURE } from '../sites/sites.ts'
import { SMALL } from '../sites/written/small.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions']
/** Those that `npm test` kills and stops: images is the quickest to be ready again. */
const ENDED = forms('images', 'gateway', 'renderer', 'actions')

/** Secrets of the environment in which the stack starts. */
const PLANTED = { ACTION_KEYS: 'k'.repeat(32), SITE_SECRET: 'hush', CDN_PURGE_AUTHORIZATION: 'Bearer hush' }

let folder: TemporaryFolder
let appDir: string

beforeAll(async () => {
  folder = await makeFolder('life')
  appDir = join(folder.path, 'site')
  await copyApp(FIXTURE.appDir, appDir)
})

afterAll(() => folder.remove())

describe('a stack that cannot start', () => {
  const start = (env: Record<string, string>, ...options: string[]) => {
    const base = { ...bareEnvironment(), HOST: '127.0.0.1', PORT: '0' }
    const settings = { APP_DIR: appDir, DATA_DIR: join(folder.path, 'data'), ...env }
    return run(process.execPath, [PORTICO, 'start', ...options], {
      cwd: root,
      env: { ...base, ...settings },
    })
  }

  test('O1 says that the port is in use and exits with 1', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port))
    })
    const { code, output } = await start({ PORT: String(port) })
    taken.close()
    expect(code).toBe(1)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).toContain(`PORT="${port}": must be a free port`)
  })

  test('O1 says which folder cannot be written and exits with 1', async () => {
    const file = join(folder.path, 'a-file')
    await writeFile(file, '')
    const { code, output } = await start({ DATA_DIR: join(file, 'data'), CACHE_DIR: join(folder.path, 'cache') })
    expect(code).toBe(1)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).toContain(`DATA_DIR="${join(file, 'data')}": must be a folder that can be written`)
  })

  test('K1 says once that the build is one of another minor version, and how to build again', async () => {
    const site = join(folder.path, 'built-before')
    for (const name of ['pages', 'dist']) await mkdir(join(site, name), { recursive: true })
    await writeFile(join(site, 'dist/manifest.json'), '{"buildId":"b1","version":"0.0.3"}')
    const { code, output } = await start({ APP_DIR: site }, '--no-build')
    expect(code).toBe(1)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).toContain(
      `dist/ was built by Portico 0.0.3, and this is Portico ${PORTICO_VERSION}: run \`portico build\` again`,
    )
  })

  test('O1 reports all bad settings together, each with name, value and rule', async () => {
    const { code, output } = await start({ PORT: 'eighty', LOG_LEVEL: 'loud' })
    expect(code).toBe(1)
    expect(output).toContain('PORT="eighty": must be a port, 0 to 65535')
    expect(output).toContain('LOG_LEVEL="loud": must be one of trace')
    const empty = join(folder.path, 'empty')
    await mkdir(empty, { recursive: true })
    expect((await start({ APP_DIR: empty })).output).toContain(
      `APP_DIR="${empty}": must be a folder that contains pages/`,
    )
  })

  testAtLength('O1 says once which settings a service refuses, and what other services refuse', async () => {
    const { code, output } = await start({ PUBLIC_ORIGINS: 'example.org', TRUSTED_PROXIES: 'here', IMAGE_SLOTS: '0' })
    expect(code).toBe(1)
    expect(output.match(/TRUSTED_PROXIES="here": must be addresses or CIDR ranges/g)).toHaveLength(1)
    expect(output.match(/gateway +fatal PUBLIC_ORIGINS="example.org": must be origins/g)).toHaveLength(1)
    expect(output.match(/images +fatal IMAGE_SLOTS="0": must be a whole number, 1 to 64/g)).toHaveLength(1)
    expect(output).not.toContain('    at ')
  })

  test("F3 O1 shows the build's message for a broken page and exits with 1; the build gets no key of the stack", async ({
    onTestFinished,
  }) => {
    const broken = await makeSite({
      ...SMALL,
      'pages/broken.tsx': 'export default function Broken() { return <p>oops }\n',
      'package.json': JSON.stringify({ scripts: { assets: 'echo "given: $SITE_SECRET $ACTION_KEYS."' } }),
    })
    onTestFinished(() => broken.remove())
    const { code, output } = await start({ APP_DIR: broken.dir, ...PLANTED })
    expect(code).toBe(1)
    expect(output).toContain('given: hush .')
    expect(output).toContain('broken.tsx')
    expect(output).toContain('the build failed')
    expect(output).not.toContain('ready on')
  })
})

describe('a stack that runs', () => {
  let stack: EmbeddedStack
  let targets: string[]

  beforeAll(async () => {
    stack = await startEmbedded({ appDir, env: { HOST: '0.0.0.0', ...PLANTED, LOG_LEVLE: 'debug' } })
    const page = unescapeHtml((await send(stack.baseUrl, FIXTURE.home.path)).text)
    const detail = unescapeHtml((await send(stack.baseUrl, FIXTURE.detail.path)).text)
    const source = /\/_portico\/image\?url=([^&"\s]+)/.exec(page + detail)?.[1]
    const image = imageUrl('', decodeURIComponent(source ?? ''), 640, 75)
    targets = [FIXTURE.home.path, FIXTURE.detail.path, image, FIXTURE.api.path]
  })

  afterAll(() => stack?.stop())

  const processesOf = (name: string) => {
    const id = stack.serviceId(name) ?? 0
    return [id, ...descendantsOf(id)]
  }

  const answersAll = async () => {
    const responses = await Promise.all(targets.map((target) => send(stack.baseUrl, target).catch(() => undefined)))
    return responses.every((response) => response?.status === 200)
  }

  /** The id of the running process: 0 would be the group of the tests. */
  const idOf = async (name: string): Promise<number> => {
    await expect.poll(() => stack.serviceId(name)).toBeDefined()
    return stack.serviceId(name)!
  }
  /** Messages of the stack that begin with these words. */
  const said = (words: string) => stack.lines.map((line) => String(line.msg)).filter((text) => text.startsWith(words))

  test.runIf(process.platform === 'linux')('O1 W5 listens on all addresses with its public port alone', () => {
    // More than one socket listens at an address (L4).
    const addresses = SERVICES.flatMap((name) => [
      ...new Set(listenersOf(stack.serviceId(name) ?? 0).map(({ address, port }) => `${name} ${address}:${port}`)),
    ])
    const elsewhere = addresses.filter((each) => !each.includes(' 127.0.0.1:'))
    expect(elsewhere).toEqual([`gateway 0.0.0.0:${new URL(stack.baseUrl).port}`])
    // The gateway's site and inner port; port and inner port of the others.
    expect(addresses).toHaveLength(9)
  })

  test.runIf(process.platform === 'linux')('F3 W5 no process holds a secret that only other processes read', () => {
    // The service and its encoders.
    expect(processesOf('images').length).toBeGreaterThan(1)
    const held = (id: number) => {
      const names = readFileSync(`/proc/${id}/environ`, 'utf8').split('\0')
      return Object.keys(PLANTED).filter((name) => names.some((text) => text.startsWith(`${name}=`)))
    }
    const heldBy = (name: string) => [...new Set(processesOf(name).flatMap(held))]
    expect(Object.fromEntries(SERVICES.map((name) => [name, heldBy(name)]))).toEqual({
      gateway: [],
      renderer: ['ACTION_KEYS', 'SITE_SECRET'],
      images: [],
      actions: Object.keys(PLANTED),
    })
  })

  test('W5 a name near to a setting is warned of once, by the stack', async () => {
    await expect.poll(answersAll).toBe(true)
    const warnings = stack.lines.filter(({ msg }) => String(msg).includes('did you mean'))
    expect(warnings.map(({ service, msg }) => `${service}: ${msg}`)).toEqual([
      'stack: the environment has LOG_LEVLE; did you mean LOG_LEVEL?',
    ])
  })

  test.each(ENDED)(
    'O1 G2 %s comes back when it is killed, and costs no request but those of the gateway',
    async (name) => {
      const load = startLoad(stack.baseUrl, targets)
      const id = await idOf(name)
      await expect.poll(() => load.statuses[200] ?? 0).toBeGreaterThan(5)
      process.kill(id, 'SIGKILL')
      await expect.poll(() => stack.serviceId(name) ?? id, { timeout: 20_000 }).not.toBe(id)
      await expect.poll(answersAll, { timeout: 20_000 }).toBe(true)
      await load.stop()
      // On a busy machine a start may take longer than the wait of 3 s: such requests end as 503.
      const { 200: _ok, 503: _late, ...others } = load.statuses
      if (name !== 'gateway') expect([others, load.errors]).toEqual([{}, []])
      await expect.poll(() => said(`${name} was ended by SIGKILL; starting it again`).length).toBeGreaterThan(0)
    },
  )

  test.each(ENDED)('O5 %s exits with 0 on SIGTERM under load and is started again', async (name) => {
    const load = startLoad(stack.baseUrl, targets)
    const id = await idOf(name)
    const before = said(`${name} ended with`).length
    await expect.poll(() => load.statuses[200] ?? 0).toBeGreaterThan(0)
    process.kill(id, 'SIGTERM')
    await expect.poll(() => isRunning(id), { timeout: 20_000 }).toBe(false)
    await load.stop()
    // The stack writes the line when it is notified of the end, a moment after the process has ended.
    await expect.poll(() => said(`${name} ended with`).length).toBe(before + 1)
    expect(said(`${name} ended with`).at(-1)).toMatch(new RegExp(`^${name} ended with code 0; starting it again`))
    await expect.poll(answersAll, { timeout: 20_000 }).toBe(true)
  })

  test('O5 the whole stack exits with 0 on SIGTERM under load and leaves no process behind', async () => {
    const ids = SERVICES.map((name) => stack.serviceId(name) ?? 0)
    expect(ids.every((id) => id > 0)).toBe(true)
    const load = startLoad(stack.baseUrl, targets)
    await expect.poll(() => load.statuses[200] ?? 0).toBeGreaterThan(0)
    const code = await stack.stop()
    await load.stop()
    expect(code).toBe(0)
    expect(ids.filter(isRunning)).toEqual([])
  })

  test('O1 the services end when the stack is killed without a chance to stop them', async () => {
    const doomed = await startEmbedded({ appDir })
    const ids = SERVICES.map((name) => doomed.serviceId(name) ?? 0)
    expect(ids.every((id) => id > 0)).toBe(true)
    process.kill(doomed.stackId(), 'SIGKILL')
    await ended(doomed.child)
    await expect.poll(() => ids.filter(isRunning), { timeout: 20_000 }).toEqual([])
  })

  testAtLength('O1 under npm the stack stops when npm and its shell end without passing the signal on', async () => {
    const command = `'${process.execPath}' '${PORTICO}' start --json; true`
    const settings = { HOST: '127.0.0.1', PORT: '0', APP_DIR: appDir, DATA_DIR: join(folder.path, 'npm-data') }
    const shell = spawn('sh', ['-c', command], {
      cwd: root,
      env: { ...bareEnvironment(), ...settings, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    // The pipe ends when the last process that can write to it has ended.
    const allEnded = once(shell.stdout, 'end')
    await expect.poll(() => output, { timeout: 60_000 }).toContain('"msg":"ready on ')
    shell.kill('SIGKILL')
    await allEnded
    expect(output).toContain('"msg":"stopping (npm exited)"')
    expect(output).toContain('"msg":"stopped"')
  })
})
