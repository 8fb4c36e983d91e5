// The site that a renderer serves: its code is in this process, from a build, or under development from sources that change.

import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { InnerPort } from '@portico/shared/kit/life/inner-port.ts'
import type { Listener } from '@portico/shared/kit/life/listeners.ts'
import type { Opened } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RendererAppDeps } from './app.ts'
import type { RenderDeps } from './render/render-deps.ts'
import type { PageRenderer } from './render/render-page.ts'

type OfSite = 'bundle' | 'publicEnv' | 'onRequestError' | 'dataTimeoutMs' | 'middlewareLimitMs' | 'renderTimeoutMs'

/** The site as it is: of a build, or of the sources between two changes. */
export interface SiteState
  extends AppBuild,
    Pick<RenderDeps, OfSite>,
    Partial<Pick<RendererAppDeps, 'isCrawler' | 'failureDocument'>> {}

/** What serves one state of the site. */
export interface ServedState {
  pages: PageRenderer
  listener: Pick<Listener, 'handler' | 'onUpgrade'>
  inner: Pick<InnerPort, 'routes' | 'version' | 'faults'>
}

export type ServeState = (state: SiteState) => Promise<ServedState>

/** Without `pages` where the site changes. */
export type ServedSite = Omit<ServedState, 'pages'> &
  Partial<Pick<ServedState, 'pages'>> &
  Pick<Opened, 'warm' | 'onReady' | 'onDrain'>

/** A site between its code and the ports of the service. */
export interface OpenedSite {
  buildId: string
  /** Of the site's code. */
  log: Log
  open(serve: ServeState, shared: { cookieSeals: CookieSeals; after: AfterTasks }): Promise<ServedSite>
  close?: () => Promise<void>
}

/** A site that does not change. */
export function siteOf(state: SiteState, log: Log) {
  return { buildId: state.manifest.buildId, log, open: (serve: ServeState) => serve(state) }
}
