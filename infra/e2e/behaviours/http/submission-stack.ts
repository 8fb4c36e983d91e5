// Gateway and actions as processes over a hand-written build, for tests of the records of submissions.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { MANIFEST_FORMAT } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { type ServiceProcess, startServiceProcess } from '../../harness/service-process.ts'

/** `enter` opens another session at each run and ends with a redirect; `echo` responds with 60 KB and the number of its run. */
const BUNDLE = `
  import { AsyncLocalStorage } from 'node:async_hooks'
  const contexts = new AsyncLocalStorage()
  let runs = 0
  const actions = {
    enter: async () => {
      contexts.getStore().setCookies.push('session=secret-' + ++runs)
      await new Promise((done) => setTimeout(done, 100))
    },
    echo: () => ++runs + 'x'.repeat(60_000),
  }
  export const bundle = {
    actions: Object.fromEntries(Object.entries(actions).map(([name, run]) => [name, { name, load: async () => run }])),
    apiRoutes: {},
    runWithContext: (context, run) => contexts.run(context, run),
  }`

export interface SubmissionStack {
  /** The gateway's public port. The gateway trusts X-Forwarded-For, so that a test can be many clients. */
  url: string
  /** The actions service itself, where a flood costs half as much. */
  actionsUrl: string
  /** Where /metrics of the actions service is. */
  innerUrl: string
  dataDir: string
  stop(): Promise<void>
}

export async function startSubmissionStack(environment: Record<string, string> = {}): Promise<SubmissionStack> {
  const appDir = await mkdtemp(join(tmpdir(), 'portico-submissions-'))
  await writeBuild(appDir)
  const dataDir = join(appDir, 'data')
  const processes: ServiceProcess[] = []
  const start = async (service: 'gateway' | 'actions', more: Record<string, string>) => {
    const [port, sitePort, innerPort] = [await freePort(), await freePort(), await freePort()]
    const innerUrl = `http://127.0.0.1:${innerPort}`
    const running = startServiceProcess({
      service,
      innerUrl,
      environment: {
        HOST: '127.0.0.1',
        PORT: String(port),
        SITE_PORT: String(sitePort),
        INNER_PORT: String(innerPort),
        APP_DIR: appDir,
        DATA_DIR: dataDir,
        STACK_TOKEN: 't'.repeat(40),
        ACTION_KEYS: 'k'.repeat(40),
        LOG_LEVEL: 'warn',
        TRUSTED_PROXIES: '127.0.0.1',
        ...environment,
        ...more,
      },
    })
    processes.push(running)
    await running.ready()
    return { url: `http://127.0.0.1:${port}`, innerUrl }
  }
  const stop = async () => {
    for (const { child } of processes) child.kill('SIGKILL')
    await rm(appDir, { recursive: true, force: true })
  }
  try {
    // No page is rendered: the addresses of renderer and images name the actions service, too.
    const actions = await start('actions', fromStack({ innerUrls: { renderer: ['http://127.0.0.1:1'] } }))
    const [url, innerUrls] = [actions.url, [actions.innerUrl]]
    const gateway = await start('gateway', {
      ...{ RENDERER_URL: url, IMAGES_URL: url, ACTIONS_URL: url },
      ...fromStack({ innerUrls: { renderer: innerUrls, images: innerUrls, actions: innerUrls } }),
    })
    return { url: gateway.url, actionsUrl: actions.url, innerUrl: actions.innerUrl, dataDir, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function writeBuild(appDir: string): Promise<void> {
  const files = { module: '', imports: [], styles: [] }
  const manifest = {
    format: MANIFEST_FORMAT,
    version: PORTICO_VERSION,
    ...{ buildId: 'b1', basePath: '', trailingSlash: false, screens: [], apiRoutes: [], actions: [], images: {} },
    ...{
      semantics: {},
      redirects: [],
      rewrites: [],
      rewriteOrigins: {},
      headers: [],
      publicFiles: {},
      staticFiles: {},
      publicEnv: {},
      env: {},
    },
    csp: { site: null, routes: {}, screen: null },
    pages: [{ pattern: '/', file: 'pages/index.tsx', data: 'none', files }],
  }
  await mkdir(join(appDir, 'dist/client/static'), { recursive: true })
  await mkdir(join(appDir, 'dist/actions'), { recursive: true })
  await writeFile(join(appDir, 'package.json'), '{"type":"module"}')
  await writeFile(join(appDir, 'dist/manifest.json'), JSON.stringify(manifest))
  await writeFile(join(appDir, 'dist/actions/entry.js'), BUNDLE)
}
