// The loaded build: actions by id, API handlers by route. Created at boot; under development dev-site.ts creates
// another site after each change.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import {
  ACTION_OPTIONS,
  type ActionFunction,
  type ActionOptions,
  type ActionsBundle,
  type ApiModule,
  type RunWithContext,
  repeatFault,
} from '@portico/shared/wire/bundles.ts'
import { DEFAULT_BODY_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import { prepareRoutes, type RouteTree } from '@portico/shared/wire/routing/routes.ts'
import type { SiteAddresses } from '@portico/shared/wire/routing/urls.ts'

export interface LoadedAction {
  id: string
  name: string
  run: ActionFunction
  /** Empty for a plain function. */
  options: ActionOptions
  /** Created by defineAction: called as `(input, { previous })`. */
  isDefined: boolean
}

export interface Site extends SiteAddresses {
  buildId: string
  pages: RouteTree
  apiRoutes: RouteTree
  actions: ReadonlyMap<string, LoadedAction>
  apiModules: ReadonlyMap<string, ApiModule>
  /** The largest limit of all actions: the limit of a form before the form has named its action (A7). */
  largestBodyLimitBytes: number
  runWithContext: RunWithContext
  /** The values that `publicEnv` of portico returns in actions and handlers. */
  publicEnv: PublicValues
}

/** The manifest's members that the actions service reads. */
export type SiteManifest = Pick<
  Manifest,
  'buildId' | 'basePath' | 'trailingSlash' | 'pages' | 'apiRoutes' | 'publicFiles' | 'actions'
>

/**
 * Loads every module, so that the first client does not wait for the loading (O4). Rejects if a module cannot be
 * loaded.
 */
export async function loadSite(
  manifest: SiteManifest,
  bundle: ActionsBundle,
  publicEnv: PublicValues = {},
): Promise<Site> {
  const repeats = new Map(manifest.actions.map(({ id, repeat }) => [id, repeat]))
  const actions = new Map<string, LoadedAction>()
  for (const [id, { name, load }] of Object.entries(bundle.actions)) {
    const run = await load().catch((cause: unknown) => {
      throw new Error(`the action "${name}" cannot be loaded`, { cause })
    })
    const options = run[ACTION_OPTIONS]
    // The browser has what the build has read.
    if (options?.repeat !== repeats.get(id)) throw new Error(`the action "${name}": ${repeatFault(options?.repeat)}`)
    actions.set(id, { id, name, run, options: options ?? {}, isDefined: options !== undefined })
  }
  const apiModules = new Map<string, ApiModule>()
  for (const [pattern, load] of Object.entries(bundle.apiRoutes)) {
    const module = await load().catch((cause: unknown) => {
      throw new Error(`the API handler "${pattern}" cannot be loaded`, { cause })
    })
    apiModules.set(pattern, module)
  }
  const limits = [...actions.values()].map(bodyLimitOf)
  return {
    buildId: manifest.buildId,
    basePath: manifest.basePath,
    trailingSlash: manifest.trailingSlash,
    isPublicFile: (path) => Object.hasOwn(manifest.publicFiles, path),
    pages: prepareRoutes(manifest.pages),
    apiRoutes: prepareRoutes(manifest.apiRoutes),
    actions,
    apiModules,
    largestBodyLimitBytes: Math.max(DEFAULT_BODY_LIMIT_BYTES, ...limits),
    runWithContext: bundle.runWithContext,
    publicEnv,
  }
}

/** The limit of the action, else the default limit, in bytes. */
export function bodyLimitOf(action: LoadedAction): number {
  return action.options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES
}
