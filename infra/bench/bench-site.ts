// The site of the benchmarks, built, with a renderer and a gateway in front of the renderer, each a process as in the stack.

import { type ChildProcess, execFileSync } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { root } from '../checks/sources.ts'
import { startGatewayProcess } from './gateway/gateway-process.ts'
import { startService, waitFor } from './processes.ts'

interface BenchSite {
  app: string
  /** Addresses of the two ways to a page. */
  renderer: string
  gateway: string
  processes: readonly ChildProcess[]
}

/**
 * Builds the site in this folder and starts both services, which are added to `children`. `environment` is that of both,
 * `forGateway` that of the gateway alone.
 */
export async function startBenchSite(
  folder: string,
  children: ChildProcess[],
  environment: Record<string, string> = {},
  forGateway: Record<string, string> = {},
): Promise<BenchSite> {
  const app = join(folder, 'site')
  await cp(join(root, 'infra/bench/site'), app, { recursive: true })
  execFileSync(process.execPath, [join(root, 'web/build/cli.ts')], {
    env: { ...process.env, APP_DIR: app },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [port, innerPort] = [await freePort(), await freePort()]
  // No benchmark of this site sends a request to images and actions; the renderer is their substitute.
  const every = { url: `http://127.0.0.1:${port}`, innerUrl: `http://127.0.0.1:${innerPort}` }
  const renderer = startService('renderer', {
    HOST: '127.0.0.1',
    APP_DIR: app,
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'info',
    STACK_TOKEN: 'x'.repeat(32),
    ACTION_KEYS: 'y'.repeat(32),
    PORT: String(port),
    INNER_PORT: String(innerPort),
    ...environment,
  })
  children.push(renderer)
  await waitFor(`${every.innerUrl}/readyz`)
  const gateway = await startGatewayProcess({ appDir: app, every, environment: { ...environment, ...forGateway } })
  children.push(gateway.child)
  return { app, renderer: every.url, gateway: gateway.url, processes: [renderer, gateway.child] }
}
