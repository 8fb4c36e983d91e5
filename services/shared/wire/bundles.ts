// What the renderer and the actions service may call in the bundles of a build (W7: services reach React, the request
// context and the runtime only through a bundle's entry): types, a symbol, and the packages with one copy.

import type { ActionIssue } from './action-wire.ts'
import type { CookieSeal } from './cookies/cookie-seal.ts'
import type { DraftState, PreviewData } from './cookies/draft-mode.ts'
import type { LocaleNames } from './locales/locales.ts'
import type { Middleware } from './middleware/middleware-function.ts'
import type { DocumentClient, SiteInitialProps } from './next/initial-props.ts'
import type { HydrationData, PublicValues, RouteFiles } from './page-data.ts'
import type { RouteParams } from './route-params.ts'
import type { ApiConfig } from './routing/api-config.ts'

/** React and its parts, by import path: a process and a page have one copy, the framework's. */
export const REACT_PACKAGES = /^(react|react-dom|scheduler)(\/|$)/

/** Modules of the framework, by the names that sites and packages import; those of Next.js in compatibility mode only. */
export function isFrameworkName(specifier: string): boolean {
  return /^(portico(\/(server|config))?|(next|styled-jsx)(\/.*)?|(server|client)-only)$/.test(specifier)
}

/** Everything that code of the app folder may read or do during one request, carried by AsyncLocalStorage. */
export interface RequestContext {
  kind: 'page' | 'static-page' | 'action' | 'api' | 'middleware'
  /** Route pattern or action name, for messages. */
  name: string
  requestId: string
  /** Path and query in the client's address bar. */
  url: string
  /** Public origin of the site as the gateway reports it, as in `http://localhost:8080`. */
  origin: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** `cookies().set` changes this record immediately. */
  cookies: Record<string, string>
  /** Serialised Set-Cookie values in the order of the calls; frozen after the head of the response was sent. */
  setCookies: string[]
  /** Adds a header, its name in lower case, to the response; absent where there is no response of a client. */
  setHeader?: (name: string, value: string) => void
  /** Signs and reads cookies; absent where no client is. */
  cookieSeal?: CookieSeal
  /** Draft mode; `draftMode()` of portico/server changes it. Absent where no client is. */
  draft?: DraftState
  /** Called when app code reads or changes a session: the response is for this client alone. */
  onSession?: (use: 'read' | 'changed') => void
  /** Aborts when the client disconnects or the time limit is reached. */
  signal: AbortSignal
  /** When the time limit of the running data function is reached, by performance.now(). */
  endsAt?: number | undefined
  /** Sends one request to a path of the site, which has no basePath, for `fetch` of portico/server. */
  fetchSite: (path: string, init: RequestInit) => Promise<Response>
  /** The values of `publicEnv` of portico. */
  publicEnv?: PublicValues
  /** Collects the calls of `revalidatePath` and `revalidateTag`; absent where these calls are not allowed. */
  revalidations?: { paths: Set<string>; tags: Set<string> }
  /** Signs bound arguments of a form rendered on the server: returns `base64url(json).base64url(hmac)`. */
  signBound?: (actionId: string, args: unknown[]) => string
  /** Runs work behind the response; `own` replaces members of the context for it. Absent where there is no response. */
  after?: (name: string, work: (own: Pick<RequestContext, 'signal' | 'revalidations'>) => unknown) => void
  /** Data that requests share; absent under development, where nothing is kept. */
  dataCache?: DataCache
  /** Collects the tags of the data that a page for all clients, or a result of `cached`, is made of. */
  usedTags?: Set<string>
  /** Creates a key for a form of an uncacheable page; absent in cacheable HTML (A5). */
  createSubmissionKey?: () => string
  /** The nonce of the document that is rendered; throws for a document that caches keep. Pages only. */
  readNonce?: () => string
}

/** One result of `cached` of portico/server. */
export interface KeptData {
  json: string
  /** Its own tags and those of the data that it was made of. */
  tags: readonly string[]
}

export interface CachedData {
  tags: readonly string[]
  /** Undefined: kept until a tag is revalidated. */
  revalidateSeconds: number | undefined
  load: () => Promise<KeptData>
}

/** The part of the process's data cache that one request may use. */
export interface DataCache {
  /** The kept data of the key, else the loaded one. */
  read: (key: string, data: CachedData) => Promise<KeptData>
}

/** Runs app code with its request context. */
export type RunWithContext = <T>(context: RequestContext, run: () => T) => T

/**
 * Property of `globalThis` with the values of `env` of portico/server (EnvValues). A process has one environment, and the
 * modules of a bundle may read it while they are loaded, before the bundle exports anything.
 */
export const ENV_VALUES = Symbol.for('portico.env')

/** Property of `globalThis` with the framework's modules, for packages that Node loads. */
export const SHARED_FRAMEWORK = Symbol.for('portico.framework')

/** Begin of the specifiers of files of packages, relative to the folder of the site, in server bundles. */
export const PACKAGE_SCHEME = 'portico-package:'

/** By name, with null for an optional value that is not set. */
export type EnvValues = Readonly<Record<string, string | number | boolean | null>>

/** Where an error of the site's code happened, in the words of Next.js. */
export interface RequestErrorContext {
  routerKind: 'Pages Router'
  /** Pattern of a page or an API handler, the name of an action, or `/proxy` for middleware. */
  routePath: string
  routeType: 'render' | 'route' | 'action' | 'proxy'
  revalidateReason: 'on-demand' | 'stale' | undefined
}

/** The exports of `instrumentation` of the app folder (X16). */
export interface InstrumentationModule {
  register?: () => unknown
  onRequestError?: (
    error: unknown,
    request: { path: string; method: string; headers: Record<string, string | string[] | undefined> },
    context: RequestErrorContext,
  ) => unknown
}

// ---- actions bundle -------------------------------------------------------------------------------------------

/** `defineAction` sets a function's options under this symbol. */
export const ACTION_OPTIONS = Symbol.for('portico.action-options')

/** The part of Standard Schema (standardschema.dev, v1) that Portico calls. */
export interface InputSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>
  }
}
type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }

export interface ActionOptions {
  id?: string
  /** Validates the input (the last argument) before the handler runs. */
  input?: InputSchema
  bodyLimitBytes?: number
  timeoutMs?: number
  safeToRepeat?: boolean
  idempotency?: 'required' | 'best-effort'
  /**
   * Equal quick clicks are different submissions. The browser must know it before the click, so the build reads it: a
   * literal only.
   */
  repeat?: 'allow'
}

/** The text of the error for any other `repeat` of an action; `value` is undefined for an expression. */
export function repeatFault(value: unknown): string {
  const given = value === undefined ? 'an expression' : JSON.stringify(value)
  return `repeat=${given} is not allowed; allowed is repeat: 'allow', a literal in the argument of defineAction`
}

/** With options: `defineAction` made the handler, and it is called as `(input, { previous })`. */
export type ActionFunction = ((...args: unknown[]) => unknown) & { [ACTION_OPTIONS]?: ActionOptions }

/** What `useActionState` receives when the declared schema refused the input (422). */
export interface InvalidInput {
  issues: ActionIssue[]
  /** The submitted values without files, so that fields can keep their content. */
  fields: Record<string, string | string[]>
}

export interface ApiModule {
  default: (request: unknown, response: unknown) => unknown
  config?: ApiConfig
  /** As `config.runtime`. */
  runtime?: unknown
}

export interface ActionsBundle {
  /** Key: action id. */
  actions: Record<string, { name: string; load: () => Promise<ActionFunction> }>
  /** Key: route pattern below basePath, as in `/api/places/[slug]`. */
  apiRoutes: Record<string, () => Promise<ApiModule>>
  /** `NextRequest` of `next/server`: handlers of the edge runtime are called with it. */
  EdgeRequest?: new (
    url: URL,
    init: RequestInit & { nextConfig?: { basePath: string } },
  ) => Request
  /** Absent in an app folder without the file. */
  instrumentation?: (() => Promise<InstrumentationModule>) | undefined
  runWithContext: RunWithContext
}

// ---- server bundle --------------------------------------------------------------------------------------------

/** The argument of a data function; the Pages Router's names. */
export interface DataFunctionContext extends LocaleNames {
  params?: RouteParams
  query?: RouteParams
  resolvedUrl?: string
  req?: unknown
  res?: unknown
  revalidateReason?: 'build' | 'on-demand' | 'stale'
  /** These members are there in draft mode only. */
  draftMode?: true
  preview?: true
  previewData?: PreviewData
}

export interface PageModule {
  default?: unknown
  getServerSideProps?: (context: DataFunctionContext) => unknown
  getStaticProps?: (context: DataFunctionContext) => unknown
  /** Without locales the members are undefined, as in Next.js. */
  getStaticPaths?: (context: { locales: string[] | undefined; defaultLocale: string | undefined }) => unknown
}

/** Props with promises (W2). */
export interface DeferredProps {
  /** JSON of the props with a placeholder for each promise. */
  readonly json: string
  /**
   * Receives the line of each promise when it settles, lines of settled ones immediately. Resolves after the last line;
   * never rejects.
   */
  follow: (onLine: (line: string) => void) => Promise<void>
}

export interface RenderInput {
  /** Pattern of a page, or '/404', '/500', '/_error' for a screen (the default one when the app folder has none). */
  route: string
  hydration: HydrationData
  /** Present if `hydration.props` has promises. */
  deferred?: DeferredProps | undefined
  /** The browser entry's files. */
  entry: RouteFiles
  /** The nonce of the document's scripts; absent for a document that caches keep. */
  nonce?: DocumentNonce | undefined
  /** Called for each error inside a boundary; returns the digest that is sent to the browser. */
  onError: (error: unknown) => string
  /** Called if the data element of the document has more than LARGE_PAGE_DATA_BYTES. */
  onLargeData?: (bytes: number) => void
  signal: AbortSignal
  /** Wait for all content (crawlers, cached pages) instead of sending the shell first. */
  whole: boolean
  /** The address has the parameter of W12. */
  isWholeRequested?: boolean | undefined
  /** Request and response, for a document that reads them; absent where there is none. */
  client?: (() => DocumentClient) | undefined
}

/** A nonce that is created when it is read for the first time. */
export interface DocumentNonce {
  read: () => string
  /** Undefined until it was read: then the document needs none. */
  readonly value: string | undefined
}

/** `scriptHashes`: sources of the policy, such as `'sha256-…'`, that allow the document's fixed inline scripts. */
export type RenderResult =
  /** `incomplete`: a boundary failed and the browser renders it again; such a document must not be cached. */
  | { kind: 'html'; html: string; incomplete: boolean; scriptHashes: readonly string[] }
  /** Pipes the document; resolves when the last byte was written. Never rejects after the first byte. */
  | { kind: 'stream'; scriptHashes: readonly string[]; pipe: (sink: ByteSink) => Promise<void> }

/** The part of a Node writable that a streamed render needs. */
export interface ByteSink {
  write(chunk: string | Uint8Array): boolean
  once(event: 'drain' | 'close', listener: () => void): unknown
  flush?(): void
}

export interface ServerBundle {
  /** Present if the app folder has middleware. Loads the module with `load` or the first call. */
  middleware?: Middleware
  /** Key: pattern, including those of '/404', '/500', '/_error' that exist. */
  pages: Record<string, () => Promise<PageModule>>
  /** Renders a `_document` that reads nothing of a request, else the first render does. Throws what `_document` throws. */
  prepare: (publicEnv: PublicValues, locales?: LocaleNames) => void
  /** Compatibility mode only. */
  initialProps?: SiteInitialProps | undefined
  /** Throws what the page threw while React rendered the shell; control flow included. */
  render: (input: RenderInput) => Promise<RenderResult>
  /** Absent in an app folder without the file. */
  instrumentation?: (() => Promise<InstrumentationModule>) | undefined
  runWithContext: RunWithContext
}
