// A gateway whose build has no replicas any more, while a newer build has (O12): each request is responded to by one build. The
// app of another build is the same code over that build's manifest: its matchers, its rules, and its replicas alone. It has no
// page memory, and its public files are those that this build published.

import type { IncomingMessage, RequestListener } from 'node:http'
import { FIRST_READY_WAIT_MS, FIRST_READY_WAITERS } from '@portico/shared/wire/constants.ts'
import { isApiPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { GatewayApp, GatewayDeps } from '../app.ts'
import type { WaitingLimits } from '../proxy/proxy.ts'
import { buildOf, isServing, type Replicas, replicasOfBuild } from '../replicas/replicas.ts'
import { chooseBuild } from './choose-build.ts'
import type { OtherBuilds } from './other-builds.ts'

export { createOtherBuilds, type OtherBuildsDeps } from './other-builds.ts'

const APP = Symbol('app')
/** A request that the app of another build has received. */
type Carrier = IncomingMessage & { [APP]?: GatewayApp }

interface HandoverDeps
  extends Pick<GatewayDeps, 'build' | 'replicas'>,
    Pick<WaitingLimits, 'firstReadyMs' | 'firstReadyWaiters'> {
  builds: OtherBuilds
  /** Creates the app of the published listener, over the own build or over another one. */
  openApp: (over?: Partial<GatewayDeps>) => GatewayApp
}

/** Creates the app of the published listener. */
export function createHandoverApp({ builds, openApp, ...deps }: HandoverDeps): GatewayApp {
  const own = openApp()
  const { manifest } = deps.build
  const apps = new Map<string, GatewayApp>()
  const { firstReadyMs = FIRST_READY_WAIT_MS, firstReadyWaiters = FIRST_READY_WAITERS } = deps
  let waiters = 0

  /** Undefined where no middleware is concerned: pages of the own build are sent from memory, others from any renderer (C3). */
  const appOf = (build: string): GatewayApp | undefined => {
    const other = builds.of(build)?.manifest
    if (!other || (!other.middleware && !manifest.middleware)) return undefined
    const known = apps.get(build)
    if (known) return known
    for (const name of apps.keys()) if (!builds.names().includes(name)) apps.delete(name)
    const app = openApp({
      own: deps.build,
      build: { dir: deps.build.dir, manifest: other },
      replicas: replicasOfBuild(deps.replicas, build),
      pageCache: undefined,
    })
    apps.set(build, app)
    return app
  }

  const choose = (request: IncomingMessage, others: readonly string[]): string =>
    chooseBuild({
      own: manifest.buildId,
      others,
      renderers: servingBuilds(deps.replicas.of('renderer')),
      actions: servingBuilds(deps.replicas.of('actions')),
      needsActions: needsActions(request, manifest.basePath),
    })

  /** Resolves when the rules of the build are known, or cannot be known in time. */
  const settled = async (build: string): Promise<void> => {
    waiters++
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((done) => {
      timer = setTimeout(done, firstReadyMs)
    })
    await Promise.race([builds.of(build)?.settled, late])
    clearTimeout(timer)
    waiters--
  }

  const handler: RequestListener = (request, response) => {
    const others = builds.names()
    // Nearly always: a stack of one build.
    if (others.length === 0) return own.handler(request, response)
    const build = choose(request, others)
    if (build === manifest.buildId) return own.handler(request, response)
    const pass = () => {
      if (response.destroyed) return
      const app = appOf(build)
      if (app) (request as Carrier)[APP] = app
      ;(app ?? own).handler(request, response)
    }
    if (builds.of(build)?.isSettled || waiters >= firstReadyWaiters) pass()
    else void settled(build).then(pass)
  }
  const { clients } = own
  return {
    ...own,
    handler,
    ...(clients && {
      clients: {
        ...clients,
        refuseBody: (request, ...refused) =>
          ((request as Carrier)[APP] ?? own).clients?.refuseBody(request, ...refused),
      },
    }),
  }
}

/** The builds whose replicas respond now. */
function servingBuilds(replicas: Pick<Replicas, 'list'>): ReadonlySet<string> {
  const now = performance.now()
  const builds = new Set<string>()
  for (const replica of replicas.list()) {
    const build = buildOf(replica)
    if (build !== undefined && isServing(replica.state, now)) builds.add(build)
  }
  return builds
}

/** Whether the actions service responds, as far as the address and the method say. */
function needsActions({ method = 'GET', url = '/' }: IncomingMessage, basePath: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return true
  const path = stripBasePath(splitTarget(url).pathname, basePath)
  return path !== undefined && isApiPath(path)
}
