// The site that a renderer serves: its code is in this process, from a build, or under development from sources that change.

import type { RequestListener } from 'node:http'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { InnerPort, InnerRoute } from '@portico/shared/kit/life/inner-port.ts'
import type { Listener } from '@portico/shared/kit/life/listeners.ts'
import type { Opened } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { RendererAppDeps } from './app.ts'
import type { RenderDeps, RenderTimes } from './render/render-deps.ts'
import type { PageRenderer } from './render/render-page.ts'

/** The site as it is: of a build, or of the sources between two changes. */
export interface SiteState
  extends AppBuild,
    Pick<RenderDeps, 'bundle' | 'publicEnv' | 'onRequestError'>,
    Partial<Pick<RendererAppDeps, 'isCrawler' | 'failureDocument'>> {
  times?: RenderTimes
}

/** What serves one state of the site. */
export interface ServedState {
  manifest: Manifest
  pages: PageRenderer
  handler: RequestListener
  routes: InnerRoute[]
}

export type ServeState = (state: SiteState) => Promise<ServedState>

/** A site between its code and the ports of the service. */
export interface OpenedSite {
  buildId: string
  /** Of the site's code. */
  log: Log
  open(serve: ServeState, shared: { cookieSeals: CookieSeals; after: AfterTasks }): Promise<ServedSite>
  close?: () => Promise<void>
}

export interface ServedSite extends Pick<Opened, 'warm' | 'onReady' | 'onDrain'> {
  listener: Pick<Listener, 'handler' | 'onUpgrade'>
  inner: Pick<InnerPort, 'routes' | 'version' | 'faults'>
  /** Absent where the site changes. */
  pages?: PageRenderer
}

/** A site that does not change. */
export function siteOf(state: SiteState, log: Log) {
  return {
    buildId: state.manifest.buildId,
    log,
    async open(serve: ServeState) {
      const { pages, handler, routes } = await serve(state)
      return { pages, listener: { handler }, inner: { version: pages.version, routes } }
    },
  } satisfies OpenedSite
}
