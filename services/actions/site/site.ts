// The loaded build: actions by id, API handlers by route, with their limits and the faults of modules that cannot be
// loaded. A loaded site does not change; under development dev/ creates another one after each change. Requests are
// left to app.ts.

import { ModuleFault, ServiceError } from '@portico/shared/kit/http/errors.ts'
import { createTurns, type SiteModules } from '@portico/shared/kit/life/site-modules.ts'
import type { ReportRequestError } from '@portico/shared/kit/observe/site/instrumentation.ts'
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
import type { Locales } from '@portico/shared/wire/locales/locales.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import {
  type ApiSettings,
  DEFAULT_RESPONSE_LIMIT_BYTES,
  parseApiConfig,
} from '@portico/shared/wire/routing/api-config.ts'
import { isPublicFile } from '@portico/shared/wire/routing/public-key.ts'
import { createPageResolver, type ResolvePage } from '@portico/shared/wire/routing/resolve-page.ts'
import { prepareRoutes, type RouteTree } from '@portico/shared/wire/routing/routes.ts'
import type { SiteAddresses } from '@portico/shared/wire/routing/urls.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'

export interface LoadedAction {
  id: string
  name: string
  run: ActionFunction
  /** Empty for a plain function. */
  options: ActionOptions
  /** Created by defineAction: called as `(input, { previous })`. */
  isDefined: boolean
}

export interface LoadedHandler {
  run: ApiModule['default']
  settings: ApiSettings
}

export interface Site extends SiteAddresses {
  buildId: string
  i18n?: Locales
  pages: RouteTree
  apiRoutes: RouteTree
  actions: ReadonlyMap<string, LoadedAction>
  apiHandlers: ReadonlyMap<string, LoadedHandler>
  /** What cannot be loaded, by the id of the action or the pattern of the handler (O4). */
  broken: ReadonlyMap<string, ModuleFault>
  /** Whether middleware of the build may run for a path with basePath; absent in a site without middleware. */
  isGuarded?: ((pathname: string) => boolean) | undefined
  /** The largest limit of all actions: the limit of a form before the form has named its action (A7). */
  largestBodyLimitBytes: number
  semantics: Semantics
  /** The class of requests to handlers of the edge runtime. */
  EdgeRequest: NonNullable<ActionsBundle['EdgeRequest']>
  /** Finds the page of a request, rewrites included; absent where no page reads forms itself (X7). */
  resolvePage?: ResolvePage
  runWithContext: RunWithContext
  /** The values that `publicEnv` of portico returns in actions and handlers. */
  publicEnv: PublicValues
  /** `onRequestError` of the site. */
  onRequestError?: ReportRequestError | undefined
  /** Under development: why the current modules cannot be loaded. The modules before them remain in use. */
  fault?: Error
  /** The policy of the error screens that the build decided (G6). */
  screenPolicy: PolicyHeader | null
}

/** The manifest's members that the actions service reads. */
export type SiteManifest = Pick<
  Manifest,
  | 'buildId'
  | 'basePath'
  | 'i18n'
  | 'trailingSlash'
  | 'semantics'
  | 'pages'
  | 'rewrites'
  | 'apiRoutes'
  | 'middleware'
  | 'publicFiles'
  | 'actions'
  | 'csp'
>

/**
 * Loads every module, so that the first client does not wait for the loading (O4). `modules` keeps those that cannot be
 * loaded; without it loadSite rejects with the first one.
 */
export async function loadSite(
  manifest: SiteManifest,
  bundle: ActionsBundle,
  publicEnv: PublicValues = {},
  modules?: SiteModules,
): Promise<Site> {
  const broken = new Map<string, ModuleFault>()
  const inTurn = createTurns()
  const loadPart = async <T>(key: string, file: string, load: () => Promise<T>): Promise<[string, T][]> => {
    if (!modules) return [[key, await (await inTurn(load)).loaded]]
    try {
      return [[key, await modules.load(file, load)]]
    } catch (fault) {
      if (!(fault instanceof ModuleFault)) throw fault
      broken.set(key, fault)
      return []
    }
  }
  const repeats = new Map(manifest.actions.map(({ id, repeat }) => [id, repeat]))
  const actions = Object.entries(bundle.actions).map(([id, { name, load }]) =>
    loadPart(id, name.split('#')[0]!, async (): Promise<LoadedAction> => {
      const run = await load().catch((cause: unknown) => {
        throw modules ? cause : new Error(`the action "${name}" cannot be loaded`, { cause })
      })
      const options = run[ACTION_OPTIONS]
      // The browser has what the build has read.
      if (options?.repeat !== repeats.get(id)) throw new Error(`the action "${name}": ${repeatFault(options?.repeat)}`)
      return { id, name, run, options: options ?? {}, isDefined: options !== undefined }
    }),
  )
  const apiHandlers = Object.entries(bundle.apiRoutes).map(([pattern, load]) => {
    const file = manifest.apiRoutes.find((route) => route.pattern === pattern)?.file ?? pattern
    return loadPart(pattern, file, async (): Promise<LoadedHandler> => {
      const module = await load().catch((cause: unknown) => {
        throw modules ? cause : new Error(`the API handler "${pattern}" cannot be loaded`, { cause })
      })
      return { run: module.default, settings: settingsOf(pattern, module, manifest.semantics) }
    })
  })
  // At once: a fault of one list is reported while the other is still loading.
  const [actionParts, handlerParts] = await Promise.all([Promise.all(actions), Promise.all(apiHandlers)])
  const loadedActions = new Map(actionParts.flat())
  const loadedHandlers = new Map(handlerParts.flat())
  const limits = [...loadedActions.values()].map(bodyLimitOf)
  return {
    buildId: manifest.buildId,
    basePath: manifest.basePath,
    trailingSlash: manifest.trailingSlash,
    ...(manifest.i18n && { i18n: manifest.i18n }),
    isPublicFile: (path) => isPublicFile(manifest.publicFiles, path),
    pages: prepareRoutes(manifest.pages),
    apiRoutes: prepareRoutes(manifest.apiRoutes),
    actions: loadedActions,
    apiHandlers: loadedHandlers,
    broken,
    isGuarded: createAnyGuarded(manifest),
    largestBodyLimitBytes: Math.max(DEFAULT_BODY_LIMIT_BYTES, ...limits),
    semantics: manifest.semantics,
    EdgeRequest: bundle.EdgeRequest ?? Request,
    ...(manifest.pages.some(({ methods }) => methods !== undefined) && { resolvePage: createPageResolver(manifest) }),
    runWithContext: bundle.runWithContext,
    publicEnv,
    screenPolicy: manifest.csp.screen,
  }
}

/** The error of a handler or action that the site does not have: under development the module may not be loadable. */
export function missing({ fault }: Site, code: 'not-found' | 'unknown-action'): ServiceError {
  if (!fault) return new ServiceError(code)
  const text = `The actions and API handlers of the site cannot be loaded: ${fault.message}`
  return new ServiceError('internal', { text, cause: fault })
}

/** The build has checked the literals of the config; a computed value is known only here. */
function settingsOf(pattern: string, { config, runtime }: ApiModule, semantics: Semantics): ApiSettings {
  const { apiConfig = false } = semantics
  const given = apiConfig && runtime !== undefined ? { ...config, runtime } : config
  const settings = parseApiConfig(given, semantics, (member, value, rule) => {
    throw new Error(`the API handler "${pattern}" cannot be loaded: ${member} = ${JSON.stringify(value)}: ${rule}`)
  })
  const isLimited = apiConfig && config?.api?.responseLimit === undefined
  return isLimited ? { ...settings, responseLimitBytes: DEFAULT_RESPONSE_LIMIT_BYTES } : settings
}

/** The limit of the action, else the default limit, in bytes. */
export function bodyLimitOf(action: LoadedAction): number {
  return action.options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES
}
