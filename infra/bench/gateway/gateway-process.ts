// A gateway as a process, with an app folder that may be empty, before substitutes of the services.

import type { ChildProcess } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { MANIFEST_FORMAT, type Manifest } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { startService, waitFor } from '../processes.ts'

/** What the substitute of a service responds to `/readyz`: a gateway waits for replicas of its own build (O12). */
export const READY = JSON.stringify({ ready: true, version: 'bench.0' })

/** Writes the output of a build without pages, with these changes. */
export async function writeEmptyApp(
  folder: string,
  changes: Partial<Omit<Manifest, 'images'>> & { images?: unknown } = {},
): Promise<void> {
  const manifest = {
    format: MANIFEST_FORMAT,
    version: PORTICO_VERSION,
    buildId: 'bench',
    basePath: '',
    trailingSlash: false,
    semantics: {},
    pages: [],
    screens: [],
    apiRoutes: [],
    actions: [],
    redirects: [],
    rewrites: [],
    rewriteOrigins: {},
    headers: [],
    csp: { site: null, routes: {}, screen: null },
    publicEnv: {},
    env: {},
    images: {},
    publicFiles: {},
    staticFiles: {},
    ...changes,
  }
  await mkdir(join(folder, 'dist/client/static'), { recursive: true })
  await writeFile(join(folder, 'dist/manifest.json'), JSON.stringify(manifest))
}

export interface ServiceAddress {
  url: string
  /** Responds to `/readyz`. */
  innerUrl: string
}

export interface GatewayProcess extends ServiceAddress {
  child: ChildProcess
}

interface GatewayProcessOptions {
  appDir: string
  /** The substitute of every service … */
  every: ServiceAddress
  /** … except this one. */
  actions?: ServiceAddress
  environment?: Record<string, string>
  /** Folder of a control group. */
  cgroup?: string | undefined
}

/** Starts a gateway on free ports; resolves when it is ready. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { appDir, every, actions = every, environment = {}, cgroup } = options
  const [port, sitePort, innerPort] = [await freePort(), await freePort(), await freePort()]
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    SITE_PORT: String(sitePort),
    INNER_PORT: String(innerPort),
    APP_DIR: appDir,
    DATA_DIR: appDir,
    GATEWAY_WORKERS: '1',
    ACCESS_LINES_PER_CLIENT: '0',
    RENDERER_URL: every.url,
    IMAGES_URL: every.url,
    ACTIONS_URL: actions.url,
    ...fromStack({
      innerUrls: { renderer: [every.innerUrl], images: [every.innerUrl], actions: [actions.innerUrl] },
    }),
    ...environment,
  }
  const child = startService('gateway', settings, cgroup)
  const innerUrl = `http://127.0.0.1:${innerPort}`
  await waitFor(`${innerUrl}/readyz`).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  return { url: `http://127.0.0.1:${port}`, innerUrl, child }
}
