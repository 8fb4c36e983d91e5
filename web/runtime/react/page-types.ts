// Types that site authors import from `portico`; the names are the Pages Router's (F2).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ComponentType } from 'react'
import type { RouteParams } from '../../../services/shared/wire/routes.ts'
import type { Router } from './router-context.ts'

export type { InvalidInput } from '../../../services/shared/wire/bundles.ts'
export type { RouteParams } from '../../../services/shared/wire/routes.ts'

export interface RedirectResult {
  destination: string
  /** true: 308, false: 307. Give this or `statusCode`. */
  permanent?: boolean
  statusCode?: 301 | 302 | 303 | 307 | 308
}

type OtherResults = { notFound: true } | { redirect: RedirectResult }

export interface ServerSideContext<Params extends RouteParams = RouteParams> {
  params: Params
  /** Query values and params together, as in the Pages Router. */
  query: RouteParams
  /** Path and query after rewrites. */
  resolvedUrl: string
  req: Pick<IncomingMessage, 'headers' | 'method' | 'url'> & { cookies: Readonly<Record<string, string>> }
  /**
   * Status and headers; the body is the page, unless `end()` was called: then what was written is the answer and the
   * page is not rendered (a sitemap, a feed).
   */
  res: Pick<ServerResponse, 'setHeader' | 'getHeader' | 'removeHeader' | 'writeHead' | 'statusCode' | 'write' | 'end'>
}

export interface StaticContext<Params extends RouteParams = RouteParams> {
  params: Params
  revalidateReason: 'build' | 'on-demand' | 'stale'
}

type Promised<T> = T | Promise<T>

export type GetServerSideProps<
  Props extends object = Record<string, unknown>,
  Params extends RouteParams = RouteParams,
> = (context: ServerSideContext<Params>) => Promised<{ props: Props | Promise<Props> } | OtherResults>

export type GetStaticProps<Props extends object = Record<string, unknown>, Params extends RouteParams = RouteParams> = (
  context: StaticContext<Params>,
) => Promised<({ props: Props } | OtherResults) & { revalidate?: number | boolean; tags?: string[] }>

export type GetStaticPaths<Params extends RouteParams = RouteParams> = () => Promised<{
  paths: (string | { params: Params })[]
  fallback: boolean | 'blocking'
}>

/** The props that a data function hands to its page. */
export type PageProps<DataFunction extends (context: never) => unknown> =
  Awaited<ReturnType<DataFunction>> extends infer Result
    ? Result extends { props: infer Props }
      ? Awaited<Props>
      : never
    : never

export interface AppProps<Props = Record<string, unknown>> {
  // An app shell renders any page; the page's own type is checked where it is written.
  // biome-ignore lint/suspicious/noExplicitAny: a component of unknown props cannot be rendered with unknown props.
  Component: ComponentType<any>
  pageProps: Props
  router: Router
}

export interface ErrorPageProps {
  statusCode?: number
  title?: string
  digest?: string
}

export interface ApiRequest extends IncomingMessage {
  query: RouteParams
  cookies: Record<string, string>
  /** Parsed by content type; JSON, form data as a plain object, text, or a Buffer. */
  // biome-ignore lint/suspicious/noExplicitAny: the Pages Router's type, so that handlers run unchanged.
  body: any
}

export interface ApiResponse<Data = unknown> extends ServerResponse {
  status(code: number): ApiResponse<Data>
  json(body: Data): void
  send(body: Data | string | Uint8Array): void
  redirect(statusOrUrl: number | string, url?: string): ApiResponse<Data>
}

export type ApiHandler<Data = unknown> = (request: ApiRequest, response: ApiResponse<Data>) => unknown

/** What importing a picture gives. */
export interface StaticImage {
  src: string
  width: number
  height: number
  blurDataURL?: string
}
