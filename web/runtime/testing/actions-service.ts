// The actions service of the site under test. It has the actions that tests call and the API handlers that are requested, each
// loaded at its first call: others may need more than the test has. It runs each submission and keeps nothing.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import { readActionsConfig } from '@portico/actions/config.ts'
import { openActions } from '@portico/actions/open.ts'
import { type LoadedAction, type LoadedHandler, loadSite } from '@portico/actions/site/site.ts'
import type { SubmissionStore } from '@portico/actions/store/submission-store.ts'
import type { GenerationStore } from '@portico/shared/kit/feed/generations.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { ACTION_OPTIONS, type ActionFunction, type ActionsBundle } from '@portico/shared/wire/bundles.ts'
import type { Change } from '@portico/shared/wire/invalidation.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'

interface ActionsServiceDeps {
  manifest: Manifest
  publicEnv: PublicValues
  bundle: ActionsBundle
  environment: Record<string, string>
  log: Log
}

export interface ActionsService {
  after: AfterTasks
  /** Adds an action, and returns its id. */
  add(action: ActionFunction): Promise<string>
  /** Responds; `onChange` receives what the request publishes. */
  respond(onChange: (change: Change) => void): RequestListener
  /** As the handler of a path below `/api`, which is loaded first; without one the service responds 404. */
  respondToApi(pathname: string): Promise<RequestListener>
  /** The port at which its own requests for API handlers arrive. */
  listensAt(port: number): void
}

export async function openActionsService(deps: ActionsServiceDeps): Promise<ActionsService> {
  const { manifest, publicEnv, bundle, environment, log } = deps
  const load = (of: Partial<ActionsBundle>, actions: Manifest['actions'] = []) =>
    loadSite({ ...manifest, actions }, { ...bundle, actions: {}, apiRoutes: {}, ...of }, publicEnv)
  const actions = new Map<string, LoadedAction>()
  /** Ids of the functions that were called. */
  const ids = new WeakMap<ActionFunction, Promise<string>>()
  let added = 0
  const apiHandlers = new Map<string, LoadedHandler>()
  const site = { ...(await load({})), actions, apiHandlers }
  const changes = new AsyncLocalStorage<(change: Change) => void>()
  const config = readActionsConfig(environment)
  // As under development no data is kept between requests; no other service receives an invalidation.
  const inner = { isDevelopment: true, rendererInnerUrls: [], actionsInnerUrls: [], gatewayInnerUrls: [] }
  const opened = await openActions({ ...config, ...inner }, log, {
    site: { site: () => site, buildId: manifest.buildId },
    openSubmissions: () => RUNS_ALL,
    generations: generationsFor((change) => changes.getStore()?.(change)),
    placesPerClient: Number.POSITIVE_INFINITY,
  })
  await opened.warm?.()
  const { handler } = opened.listeners[0]!

  async function addOnce(action: ActionFunction, id: string): Promise<string> {
    const name = action.name || 'action'
    // In a build the manifest has what is read from the sources.
    const repeat = action[ACTION_OPTIONS]?.repeat
    const entry = { id, name, file: '', ...(repeat && { repeat }) }
    const loaded = await load({ actions: { [id]: { name, load: async () => action } } }, [entry])
    for (const each of loaded.actions) actions.set(...each)
    return id
  }

  const apiRoutes = prepareRoutes(manifest.apiRoutes)
  return {
    after: opened.after,
    add(action) {
      const known = ids.get(action) ?? addOnce(action, `tested-${added++}`)
      ids.set(action, known)
      return known
    },
    respond: (onChange) => (request, response) => changes.run(onChange, () => handler(request, response)),
    async respondToApi(pathname) {
      const match = matchRoute(apiRoutes, pathname)
      const pattern = match.kind === 'match' ? match.pattern : ''
      const route = bundle.apiRoutes[pattern]
      if (route && !apiHandlers.has(pattern))
        for (const each of (await load({ apiRoutes: { [pattern]: route } })).apiHandlers) apiHandlers.set(...each)
      return handler
    },
    listensAt: (port) => opened.onReady?.({ public: port }),
  }
}

/** Every submission runs. */
const RUNS_ALL: SubmissionStore = {
  begin: async () => ({ kind: 'started' }),
  renew: async () => true,
  finish: async () => true,
  async abandon() {},
  usage: async () => 0,
  async ping() {},
  async close() {},
}

function generationsFor(onChange: (change: Change) => void): GenerationStore {
  const epoch = 'tests'
  return {
    async raise(change) {
      onChange(change)
      return { generation: 0, epoch }
    },
    read: async () => ({ epoch, generation: 0, floor: 0, marks: [] }),
    close() {},
  }
}
