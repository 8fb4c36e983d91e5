// The gateway under development (V1, V3): the same app, created again when the manifest changes, behind a gate that accepts
// only requests of the site's own origin.

import type { IncomingMessage, RequestListener } from 'node:http'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { createDevGate } from '@portico/shared/kit/config/dev-origin.ts'
import { refuseUpgrade, sendPublicError } from '@portico/shared/kit/http/error-response.ts'
import { offerOf } from '@portico/shared/kit/life/upgrade-offers.ts'
import { devSocketPath } from '@portico/shared/wire/dev/dev-wire.ts'
import type { GatewayApp, GatewayDeps } from './app.ts'

/**
 * Longest wait for a service that is started again, which compiles its modules first. A page whose document or modules
 * are refused meanwhile does not connect, so that no reconnection would load the page again.
 */
export const DEV_FIRST_READY_MS = 30_000

interface DevGatewayDeps extends Pick<GatewayDeps, 'publicOrigins' | 'listener'> {
  /** The build of the app folder in its present state. */
  current: () => AppBuild
  openApp: (over: Pick<GatewayDeps, 'build'>) => GatewayApp
}

export function createDevGatewayApp({ publicOrigins, listener, current, openApp }: DevGatewayDeps): GatewayApp {
  const gate = createDevGate(publicOrigins)
  let made: { build: AppBuild; app: GatewayApp } | undefined
  const app = (): GatewayApp => {
    const build = current()
    if (made?.build !== build) made = { build, app: openApp({ build }) }
    return made.app
  }
  // The Host of inner requests is the name of a service; the listener for them serves images only.
  const isInner = listener === 'site'
  const isDevFile = ({ url }: IncomingMessage) => {
    const path = devSocketPath(current().manifest.basePath)
    return url === path || url?.startsWith(`${path}/`) === true
  }
  const handler: RequestListener = (request, response) => {
    const isSocket = offerOf(request) !== undefined
    const isForSite = isSocket || isDevFile(request)
    const refusal = isForSite ? gate.refusesForeign(request.headers, isSocket) : gate.refuses(request.headers)
    if (refusal && !isInner) sendPublicError(response, 'file', { code: 'forbidden', message: refusal })
    else app().handler(request, response)
  }
  const { clients } = app()
  return {
    handler,
    ...(clients && {
      clients: { ...clients, refuseBody: (...refused) => app().clients?.refuseBody(...refused) },
    }),
    explain: (question) => {
      const { explain } = app()
      if (!explain) throw new Error('only the published listener explains')
      return explain(question)
    },
    takesOffer: (request) => !isInner && !isDevFile(request) && app().takesOffer?.(request) === true,
    onUpgrade(request, socket, head) {
      if (!isInner && !gate.refusesForeign(request.headers, true)) return app().onUpgrade?.(request, socket, head)
      refuseUpgrade(socket, 'forbidden')
    },
  }
}
