// Types of data functions and API handlers that site authors import from `portico`; the names are the Pages Router's (F2).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LocaleNames } from '@portico/shared/wire/locales/locales.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import type { PageParams } from './react/site-types.ts'

export type { InvalidInput } from '@portico/shared/wire/bundles.ts'
export type { RouteParams } from '@portico/shared/wire/route-params.ts'
export type { ApiConfig } from '@portico/shared/wire/routing/api-config.ts'

interface RedirectResult {
  destination: string
  /** true: 308, false: 307. Give this or `statusCode`. */
  permanent?: boolean
  statusCode?: 301 | 302 | 303 | 307 | 308
}

type OtherResults = { notFound: true } | { redirect: RedirectResult }

/** The argument of `getServerSideProps`. */
export interface ServerSideContext<Params extends object = PageParams> extends LocaleNames {
  params: Params
  /** Query values and params together, as in the Pages Router. */
  query: RouteParams
  /** Path and query after rewrites. */
  resolvedUrl: string
  /** true in draft mode. */
  draftMode?: boolean | undefined
  req: Pick<IncomingMessage, 'headers' | 'method' | 'url'> & {
    cookies: Readonly<Record<string, string>>
    /** The client, as the gateway sees it. */
    socket: { remoteAddress?: string | undefined; encrypted: boolean }
  }
  /**
   * Status and headers. The body is the page, unless the function calls `end()`: then the response is what it wrote, and
   * the page is not rendered (a sitemap, a feed).
   */
  res: Pick<
    ServerResponse,
    | 'appendHeader'
    | 'end'
    | 'getHeader'
    | 'getHeaderNames'
    | 'getHeaders'
    | 'hasHeader'
    | 'headersSent'
    | 'removeHeader'
    | 'setHeader'
    | 'setHeaders'
    | 'statusCode'
    | 'writableEnded'
    | 'write'
    | 'writeHead'
  >
}

/** The argument of `getStaticProps`. */
export interface StaticContext<Params extends object = PageParams> extends LocaleNames {
  params: Params
  /**
   * Why the page is rendered: `build` by a build with `prerender: 'build'`, `on-demand` after `revalidatePath` or
   * `revalidateTag` made its entry out of date, `stale` for any other render, which includes the first one of a renderer.
   */
  revalidateReason: 'build' | 'on-demand' | 'stale'
  /** true in draft mode: the result is for one client, and no cache keeps it. */
  draftMode?: boolean | undefined
}

type Promised<T> = T | Promise<T>

/**
 * A data function that runs for each request. Limits: 10 s, and 8 Mi characters of JSON. Promises in the props are sent
 * when they settle: the page reads them with `use()` of React.
 */
export type GetServerSideProps<Props extends object = Record<string, unknown>, Params extends object = PageParams> = (
  context: ServerSideContext<Params>,
) => Promised<{ props: Props | Promise<Props> } | OtherResults>

/**
 * A data function whose page is rendered once for all clients. `revalidate` is the lifetime in seconds; `tags` are names for
 * `revalidateTag`.
 */
export type GetStaticProps<Props extends object = Record<string, unknown>, Params extends object = PageParams> = (
  context: StaticContext<Params>,
) => Promised<({ props: Props } | OtherResults) & { revalidate?: number | boolean; tags?: string[] }>

/** The argument of `getStaticPaths`; without `i18n` both are undefined. */
interface StaticPathsContext {
  locales: string[] | undefined
  defaultLocale: string | undefined
}

/** Lists the paths of a dynamic route with `getStaticProps`; `fallback` says what happens to other paths. */
export type GetStaticPaths<Params extends RouteParams = RouteParams> = (context: StaticPathsContext) => Promised<{
  paths: (string | { params: Params; locale?: string })[]
  fallback: boolean | 'blocking'
}>

/** The props that a data function passes to its page; promises in them are promises in the page. */
export type PageProps<DataFunction extends (context: never) => unknown> =
  Awaited<ReturnType<DataFunction>> extends infer Result
    ? Result extends { props: infer Props }
      ? Awaited<Props>
      : never
    : never

/** The request of an API handler. */
export interface ApiRequest extends IncomingMessage {
  query: RouteParams
  cookies: Record<string, string>
  /** Parsed by content type; JSON, form data as a plain object, text, or a Buffer. */
  // biome-ignore lint/suspicious/noExplicitAny: the Pages Router's type, so that handlers run unchanged.
  body: any
  /** true in draft mode. */
  draftMode?: boolean | undefined
}

/** The response of an API handler. */
export interface ApiResponse<Data = unknown> extends ServerResponse {
  status(code: number): ApiResponse<Data>
  json(body: Data): void
  send(body: Data | string | Uint8Array): void
  redirect(statusOrUrl: number | string, url?: string): ApiResponse<Data>
  /** Marks the page at a path as out of date, as `revalidatePath` of `portico/server` does. */
  revalidate(path: string): Promise<void>
}

/** The default export of a file in `pages/api`. */
export type ApiHandler<Data = unknown> = (request: ApiRequest, response: ApiResponse<Data>) => unknown
