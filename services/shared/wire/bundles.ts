// What the renderer and the actions service may call in the bundles that a build leaves (W7: React, request context
// and runtime are reached only through a bundle's entry): types, two brands, and what stands in no bundle twice.

import type { ActionIssue } from './action-wire.ts'
import type { HydrationData, PublicValues, RouteFiles } from './page-data.ts'
import type { RouteParams } from './routes.ts'
import type { StackStatus } from './stack-status.ts'

/** React and what it consists of, by how they are imported: a process and a page have one copy, the framework's. */
export const REACT_PACKAGES = /^(react|react-dom|scheduler)(\/|$)/

/** Everything that code of the app folder may learn or do during one request, carried by AsyncLocalStorage. */
export interface RequestContext {
  kind: 'page' | 'static-page' | 'action' | 'api'
  /** Route pattern or action name, for messages. */
  name: string
  requestId: string
  /** Path and query as the visitor sees them. */
  url: string
  /** Public origin of the site as the gateway reports it, as in `http://localhost:8080`. */
  origin: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Changes made by `cookies().set` show here at once. */
  cookies: Record<string, string>
  /** Serialised Set-Cookie values in the order of their making. */
  setCookies: string[]
  /** Aborts when the visitor leaves or the time limit is reached. */
  signal: AbortSignal
  /** Where `fetch('/api/…')` of portico/server goes (the actions service), basePath included … */
  actionsUrl: string
  /** … and where other paths of the site go. */
  siteUrl: string
  /** What `publicEnv` of portico gives. */
  publicEnv?: PublicValues
  /** Collects `revalidatePath` and `revalidateTag`; absent where they are not allowed. */
  revalidations?: { paths: Set<string>; tags: Set<string> }
  /** Signs bound arguments of a form rendered on the server: returns `base64url(json).base64url(hmac)`. */
  signBound?: (actionId: string, args: unknown[]) => string
  /** Figures of the stack, undefined when the operator switched them off; actions and API handlers only. */
  stackStatus?: () => Promise<StackStatus | undefined>
  /** Makes a key for a form of an uncacheable page; absent in cacheable HTML (A5). */
  createSubmissionKey?: () => string
}

/** Runs app code with its request context. */
export type RunWithContext = <T>(context: RequestContext, run: () => T) => T

// ---- actions bundle -------------------------------------------------------------------------------------------

/** A function's own options, set by `defineAction`, under this symbol. */
export const ACTION_OPTIONS = Symbol.for('portico.action-options')

/** The part of Standard Schema (standardschema.dev, v1) that Portico calls. */
export interface InputSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>
  }
}
export type SchemaResult =
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
}

/** With options the handler was made by `defineAction` and is called as `(input, { previous })`. */
export type ActionFunction = ((...args: unknown[]) => unknown) & { [ACTION_OPTIONS]?: ActionOptions }

/** What `useActionState` receives when the declared schema refused the input (422). */
export interface InvalidInput {
  issues: ActionIssue[]
  /** What was typed, without files, so that fields can keep it. */
  fields: Record<string, string | string[]>
}

export interface ApiModule {
  default: (request: unknown, response: unknown) => unknown
  config?: { bodyLimitBytes?: number; bodyParser?: boolean; crossOrigin?: boolean; timeoutMs?: number }
}

export interface ActionsBundle {
  /** Key: action id. */
  actions: Record<string, { name: string; load: () => Promise<ActionFunction> }>
  /** Key: route pattern below basePath, as in `/api/places/[slug]`. */
  apiRoutes: Record<string, () => Promise<ApiModule>>
  runWithContext: RunWithContext
}

// ---- server bundle --------------------------------------------------------------------------------------------

/** What a data function is called with; the Pages Router's names. */
export interface DataFunctionContext {
  params?: RouteParams
  query?: RouteParams
  resolvedUrl?: string
  req?: unknown
  res?: unknown
  revalidateReason?: 'build' | 'on-demand' | 'stale'
}

export interface PageModule {
  default?: unknown
  getServerSideProps?: (context: DataFunctionContext) => unknown
  getStaticProps?: (context: DataFunctionContext) => unknown
  getStaticPaths?: () => unknown
}

export interface RenderInput {
  /** Pattern of a page, or '/404', '/500', '/_error' for a screen (the default one when the app folder has none). */
  route: string
  hydration: HydrationData
  /** The browser entry's files. */
  entry: RouteFiles
  /** Makes the nonce for inline scripts of a streamed document; asked only when one is streamed. */
  createNonce: () => string
  /** Called for each error inside a boundary; returns the digest that the browser is told. */
  onError: (error: unknown) => string
  signal: AbortSignal
  /** Wait for all content (crawlers, cached pages) instead of sending the shell first. */
  whole: boolean
}

export type RenderResult =
  /** `incomplete`: an error was left to the browser inside a boundary; such a document must not be kept. */
  | { kind: 'html'; html: string; incomplete: boolean }
  /** Pipes the document; resolves when the last byte was handed over. Never rejects after the first byte. */
  | { kind: 'stream'; nonce: string; pipe: (sink: ByteSink) => Promise<void> }

/** The part of a Node writable that a streamed render needs. */
export interface ByteSink {
  write(chunk: string | Uint8Array): boolean
  once(event: 'drain' | 'close', listener: () => void): unknown
  flush?(): void
}

export interface ServerBundle {
  /** Key: pattern, including '/404', '/500', '/_error' where they exist. */
  pages: Record<string, () => Promise<PageModule>>
  /** Loads every page module, so that the first visitor does not pay for it (O4). */
  warm: () => Promise<void>
  /** Throws what the page threw while the shell was rendered; control flow included. */
  render: (input: RenderInput) => Promise<RenderResult>
  runWithContext: RunWithContext
}
