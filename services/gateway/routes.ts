// THE routing table: which service or part of the gateway responds to which address (G1, W1). Paths are below basePath.
// The first line whose path fits decides; a method that the line does not allow is 405 (E6).

import type { IncomingMessage } from 'node:http'
import type { ErrorForm } from '@portico/shared/kit/http/error-response.ts'
import {
  ACTION_FIRST_BYTE_MS,
  API_METHODS,
  DEFAULT_IMAGE_QUALITY,
  EXTERNAL_FIRST_BYTE_MS,
  HEADERS,
  IMAGE_FIRST_BYTE_MS,
  PAGE_FIRST_BYTE_MS,
  PREFIX_SEGMENT,
  SOURCE_FIRST_BYTE_MS,
} from '@portico/shared/wire/constants.ts'
import { imageSizesPath } from '@portico/shared/wire/image-sources.ts'
import { isFormPost } from '@portico/shared/wire/routing/page-methods.ts'
import { type DataPath, isApiPath, NEXT_DATA_PATH, NEXT_IMAGE_PATH } from '@portico/shared/wire/routing/urls.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'

/** url + width + quality; both spellings of a parameter give one key. */
function imageKey(search: string): string {
  const query = new URLSearchParams(search)
  const width = query.get('w') ?? query.get('width') ?? ''
  const quality = query.get('q') ?? query.get('quality') ?? DEFAULT_IMAGE_QUALITY
  return `${width} ${quality} ${query.get('url') ?? ''}`
}

export type ServiceName = 'renderer' | 'images' | 'actions'
export const SERVICE_NAMES: readonly ServiceName[] = ['renderer', 'images', 'actions']

/** A service, or a part of the gateway itself. */
export type Responder =
  | ServiceName
  | 'external'
  | 'static-files'
  | 'browser-manifest'
  | 'public-files'
  | 'image-sizes'
  | 'nothing'

export interface Route {
  /** Name in access lines where the upstream names no pattern. */
  readonly name: string
  readonly by: Responder
  readonly methods: 'read' | 'all' | 'post'
  readonly errors: ErrorForm
  /** Time limit for the first byte of an upstream's response, counted from the end of the request. */
  readonly firstByteMs: number
  readonly fits: (path: string, request: IncomingMessage) => boolean
  /** Whether the path is a page's, for which `trailingSlash` counts. */
  readonly isPage?: true
  /** Whether the line takes what no other line of its table takes. */
  readonly isRest?: true
  /** Whether addresses of page data (W2, X2) take the line. */
  readonly isData?: true
  /** Requests with one key are sent to one replica (G2); without a key to any. */
  readonly affinity?: (request: RoutedRequest, page?: string) => string | undefined
  /** The build that the request belongs to: replicas that serve it are preferred (G3). */
  readonly build?: (request: RoutedRequest) => string | undefined
}

/** What the columns of a route read. */
interface RoutedRequest {
  /** Empty or `?…`. */
  readonly search: string
  readonly pageData: DataPath | undefined
}

const bySource = ({ search }: RoutedRequest) => imageKey(search)
/** What the home has or is rendering, another renderer would render once more (C3). */
const byPage = (_request: RoutedRequest, page: string | undefined) => page
const buildOfData = ({ pageData }: RoutedRequest) => pageData?.buildId

/**
 * The upstreams' own limits end a little earlier, so that their responses explain a delay better than the gateway's: see
 * time-budgets.ts.
 */
export const FIRST_BYTE_LIMITS = {
  pageMs: PAGE_FIRST_BYTE_MS,
  imageMs: IMAGE_FIRST_BYTE_MS,
  actionMs: ACTION_FIRST_BYTE_MS,
  externalMs: EXTERNAL_FIRST_BYTE_MS,
  sourceMs: SOURCE_FIRST_BYTE_MS,
}

/** V4: a first request waits until what it needs is compiled, and packages are bundled before a site's first page. */
const DEVELOPMENT_LIMITS = { ...FIRST_BYTE_LIMITS, pageMs: 300_000, actionMs: 300_000 }

const limitsOf = (devMode: boolean) => (devMode ? DEVELOPMENT_LIMITS : FIRST_BYTE_LIMITS)

const OWN = `/${PREFIX_SEGMENT}`
const is = (path: string) => (requested: string) => requested === path
const below = (path: string) => (requested: string) =>
  requested.startsWith(path) && requested.charCodeAt(path.length) === SLASH
const atOrBelow = (path: string) => (requested: string) => requested === path || below(path)(requested)
const SLASH = 47

interface RouteOptions {
  isPublicFile: (path: string) => boolean
  /** The renderer serves files, too, and `/dev` exists (V1). */
  devMode: boolean
  /** Forms are read by the actions service first; otherwise by the pages that take them (X7). Default true. */
  hasActions?: boolean
  /** Default: Portico's own rules. */
  semantics?: Pick<Semantics, 'dataUrls'>
  /** How long an upstream may take until its response begins. */
  limits?: typeof FIRST_BYTE_LIMITS
}

/** The table of the published listener. */
export function publicRoutes(options: RouteOptions): readonly Route[] {
  const { isPublicFile, devMode, hasActions = true, semantics = {}, limits = limitsOf(devMode) } = options
  const { pageMs, imageMs, actionMs } = limits
  const files = devMode ? 'renderer' : 'static-files'
  const manifest = devMode ? 'renderer' : 'browser-manifest'
  // biome-ignore format: one line a route
  return [
    { name: 'image',      fits: is(`${OWN}/image`),          methods: 'read', by: 'images',       errors: 'file',     firstByteMs: imageMs,  affinity: bySource },
    { name: 'next-image', fits: is(NEXT_IMAGE_PATH),         methods: 'read', by: 'images',       errors: 'file',     firstByteMs: imageMs,  affinity: bySource },
    { name: 'static',     fits: below(`${OWN}/static`),      methods: 'read', by: files,          errors: 'file',     firstByteMs: pageMs },
    { name: 'manifest',   fits: below(`${OWN}/manifest`),    methods: 'read', by: manifest,       errors: 'data',     firstByteMs: pageMs },
    { name: 'data',       fits: below(`${OWN}/data`),        methods: 'read', by: 'renderer',     errors: 'data',     firstByteMs: pageMs,   isData: true, build: buildOfData, affinity: byPage },
    ...(semantics.dataUrls ? [nextDataRoute(pageMs)] : []),
    ...(devMode ? [DEV_ROUTE] : []),
    { name: 'own',        fits: atOrBelow(OWN),              methods: 'read', by: 'nothing',      errors: 'file',     firstByteMs: 0 },
    { name: 'api',        fits: isApiPath,                   methods: 'all',  by: 'actions',      errors: 'data',     firstByteMs: actionMs },
    { name: 'public',     fits: isPublicFile,                methods: 'read', by: 'public-files', errors: 'file',     firstByteMs: pageMs },
    { name: 'action',     fits: isActionCall,                methods: 'post', by: 'actions',      errors: 'data',     firstByteMs: actionMs },
    ...(hasActions ? [formRoute(actionMs)] : []),
    { name: 'page',       fits: () => true,                  methods: 'read', by: 'renderer',     errors: 'document', firstByteMs: pageMs,   isPage: true, affinity: byPage },
  ]
}

/** The lines of other hosts, to which rewrites lead, by the form of errors of the requested path. */
export function externalRoutes({ externalMs } = FIRST_BYTE_LIMITS): Readonly<Record<ErrorForm, Route>> {
  const line = (errors: ErrorForm): Route => ({
    name: 'external',
    fits: () => false,
    methods: 'all',
    by: 'external',
    errors,
    firstByteMs: externalMs,
  })
  return { document: line('document'), data: line('data'), file: line('file') }
}

function formRoute(firstByteMs: number): Route {
  return {
    name: 'form',
    fits: (_path, request) => isFormPost(request),
    methods: 'post',
    by: 'actions',
    errors: 'document',
    firstByteMs,
    isPage: true,
  }
}

/** Page data as clients of Next.js request it. */
function nextDataRoute(firstByteMs: number): Route {
  const fits = atOrBelow(NEXT_DATA_PATH)
  const rest = { isData: true, build: buildOfData, affinity: byPage } as const
  return { name: 'next-data', fits, methods: 'read', by: 'renderer', errors: 'data', firstByteMs, ...rest }
}

/** The modules, files and sockets of the development server. */
export const DEV_ROUTE_NAME = 'dev'

const DEV_ROUTE: Route = {
  name: DEV_ROUTE_NAME,
  fits: atOrBelow(`${OWN}/dev`),
  methods: 'all',
  by: 'renderer',
  errors: 'file',
  firstByteMs: FIRST_BYTE_LIMITS.actionMs,
}

interface SiteRouteOptions
  extends Pick<RouteOptions, 'isPublicFile' | 'limits'>,
    Partial<Pick<RouteOptions, 'devMode'>> {
  /** Whether an API handler may be requested as an image source: the app folder must name its path. */
  opensApi: (path: string) => boolean
}

/** The table of the unpublished listener: images of the site for the images service, so that no loop is possible (I4). */
export function siteRoutes(options: SiteRouteOptions): readonly Route[] {
  const { isPublicFile, opensApi, devMode = false, limits = limitsOf(devMode) } = options
  const { sourceMs } = limits
  const files = devMode ? 'renderer' : 'static-files'
  // biome-ignore format: one line a route
  return [
    { name: 'static',     fits: below(`${OWN}/static`),      methods: 'read', by: files,          errors: 'file',     firstByteMs: sourceMs },
    { name: 'image-sizes', fits: is(imageSizesPath('')),     methods: 'read', by: 'image-sizes',  errors: 'file',     firstByteMs: 0 },
    { name: 'api',        fits: opensApi,                    methods: 'read', by: 'actions',      errors: 'file',     firstByteMs: sourceMs },
    { name: 'public',     fits: isPublicFile,                methods: 'read', by: 'public-files', errors: 'file',     firstByteMs: 0 },
    { name: 'nothing',    fits: () => true,                  methods: 'read', by: 'nothing',      errors: 'file',     firstByteMs: 0,        isRest: true },
  ]
}

/** The first line that fits; the tables end with one that always does. */
export function findRoute(table: readonly Route[], path: string, request: IncomingMessage): Route {
  for (const route of table) if (route.fits(path, request)) return route
  throw new Error('the routing table has no last line')
}

/**
 * The methods that a 405 names, or undefined when the route allows the method, or the page to which the route leads takes
 * the request (X7). No route allows TRACE.
 */
export function refusedMethod(route: Route, method: string, isTakenByPage = false): string | undefined {
  if (isTakenByPage) return undefined
  if (route.methods === 'all') return method === 'TRACE' ? API_METHODS : undefined
  if (route.methods === 'post') return method === 'POST' ? undefined : 'POST'
  return method === 'GET' || method === 'HEAD' ? undefined : 'GET, HEAD'
}

/** A POST to a page with the header that only the framework's own script sets (W3). */
function isActionCall(_path: string, request: IncomingMessage): boolean {
  return request.method === 'POST' && request.headers[HEADERS.action] !== undefined
}
