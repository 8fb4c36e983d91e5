// For tests: a gateway as a process of one or several, before an upstream.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import { INVALIDATION_PATH } from '@portico/shared/wire/invalidation.ts'
import { afterEach } from 'vitest'
import { all, type GatewayOptions, send, startGateway, type Upstream } from '../../testing/gateway-fixture.ts'

/** Called after each test, the last one first. */
export const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

export interface Running {
  child: ChildProcess
  port: number
  innerPort: number
  dataDir: string
  exit: Promise<number | null>
  output: () => string
}

export async function startProcess(
  appDir: string,
  upstreamPort: number,
  more: Record<string, string> = {},
): Promise<Running> {
  const [port, sitePort, innerPort] = [await freePort(), await freePort(), await freePort()]
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-data-'))
  const upstream = `http://127.0.0.1:${upstreamPort}`
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../main.ts', import.meta.url))], {
    env: {
      ...bareEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      SITE_PORT: String(sitePort),
      INNER_PORT: String(innerPort),
      RENDERER_URL: upstream,
      IMAGES_URL: upstream,
      ACTIONS_URL: upstream,
      ...fromStack({ innerUrls: { renderer: [upstream], images: [upstream], actions: [upstream] } }),
      GATEWAY_WORKERS: '1',
      APP_DIR: appDir,
      DATA_DIR: dataDir,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  ends.push(
    () => rmSync(dataDir, { recursive: true, force: true }),
    () => {
      child.kill('SIGKILL')
      return exit
    },
  )
  return { child, port, innerPort, dataDir, exit, output: () => output }
}

/** A folder with a build, made by the fixture of the unit tests. */
export async function buildFolder(upstream: Upstream, manifest: GatewayOptions['manifest'] = {}): Promise<string> {
  const gateway = await startGateway({ upstreams: all(upstream), manifest, files: { 'public/a.txt': 'a' } })
  ends.push(() => gateway.stop())
  return join(gateway.build.dir, '..')
}

export const readyz = (running: Running) =>
  send(running.innerPort, '/readyz').then(
    ({ status }) => status,
    () => 0,
  )

export const invalidate = async (running: Running, headers: Record<string, string>, message = messageOf({})) => {
  const body = JSON.stringify(message)
  return (await send(running.innerPort, INVALIDATION_PATH, { method: 'POST', headers, body })).status
}

/** The processes of the workers, in the order of their start. */
export function workersOf({ child }: Pick<Running, 'child'>): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** Sends a signal to every process of the gateway. */
export function signalAll(running: Pick<Running, 'child'>, signal: NodeJS.Signals): void {
  for (const pid of [...workersOf(running), running.child.pid ?? 0]) process.kill(pid, signal)
}
