// The types of the module `next`.

import type { IncomingMessage } from 'node:http'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import type { ApiRequest, ApiResponse, ServerSideContext, StaticContext } from '../data-types.ts'
import type { NextComponentType, NextPageContext } from './initial-types.ts'

export type { NextComponentType, NextPageContext } from './initial-types.ts'

export type * as Instrumentation from './instrumentation-types.ts'

type Promised<T> = T | Promise<T>
export type PreviewData = string | false | object | undefined

export interface Redirect {
  destination: string
  permanent?: boolean
  statusCode?: 301 | 302 | 303 | 307 | 308
  basePath?: false
}

export type NextPage<Props = object, InitialProps = Props> = NextComponentType<NextPageContext, InitialProps, Props>

interface PreviewMembers<Preview> {
  preview?: boolean | undefined
  previewData?: Preview | undefined
}

export type GetServerSidePropsContext<Params extends RouteParams = RouteParams, Preview = PreviewData> = Omit<
  ServerSideContext<Params>,
  'req'
> &
  PreviewMembers<Preview> & {
    /** The request, and the stream of its body. */
    req: IncomingMessage & Pick<ServerSideContext['req'], 'cookies'>
  }
export type GetServerSidePropsResult<Props> =
  | { props: Props | Promise<Props> }
  | { redirect: Redirect }
  | { notFound: true }
// biome-ignore lint/suspicious/noExplicitAny: the type of Next.js, so that sites compile unchanged.
type AnyProps = { [name: string]: any }
export type GetServerSideProps<
  Props extends AnyProps = AnyProps,
  Params extends RouteParams = RouteParams,
  Preview = PreviewData,
> = (context: GetServerSidePropsContext<Params, Preview>) => Promise<GetServerSidePropsResult<Props>>

export type GetStaticPropsContext<
  Params extends RouteParams = RouteParams,
  Preview = PreviewData,
> = StaticContext<Params> & PreviewMembers<Preview>
export type GetStaticPropsResult<Props> =
  | { props: Props; revalidate?: number | boolean }
  | { redirect: Redirect; revalidate?: number | boolean }
  | { notFound: true; revalidate?: number | boolean }
export type GetStaticProps<
  Props extends AnyProps = AnyProps,
  Params extends RouteParams = RouteParams,
  Preview = PreviewData,
> = (context: GetStaticPropsContext<Params, Preview>) => Promised<GetStaticPropsResult<Props>>

export type GetStaticPathsContext = { locales?: string[]; defaultLocale?: string }
export interface GetStaticPathsResult<Params extends RouteParams = RouteParams> {
  paths: (string | { params: Params; locale?: string })[]
  fallback: boolean | 'blocking'
}
export type GetStaticPaths<Params extends RouteParams = RouteParams> = (
  context: GetStaticPathsContext,
) => Promised<GetStaticPathsResult<Params>>

type PropsOf<Result> = Extract<Awaited<Result>, { props: unknown }>['props']
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type InferGetServerSidePropsType<DataFunction extends (...given: any) => any> = Awaited<
  PropsOf<ReturnType<DataFunction>>
>
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type InferGetStaticPropsType<DataFunction extends (...given: any) => any> = Awaited<
  PropsOf<ReturnType<DataFunction>>
>

export interface NextApiRequest extends ApiRequest {
  preview?: boolean
  previewData?: PreviewData
}
// biome-ignore lint/suspicious/noExplicitAny: as above.
export interface NextApiResponse<Data = any> extends ApiResponse<Data> {
  status(code: number): NextApiResponse<Data>
  redirect(statusOrUrl: number | string, url?: string): NextApiResponse<Data>
  revalidate(path: string, options?: { unstable_onlyGenerated?: boolean }): Promise<void>
  setPreviewData(data: object | string, options?: { maxAge?: number; path?: string }): NextApiResponse<Data>
  clearPreviewData(options?: { path?: string }): NextApiResponse<Data>
  setDraftMode(options: { enable: boolean }): NextApiResponse<Data>
}
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type NextApiHandler<Data = any> = (request: NextApiRequest, response: NextApiResponse<Data>) => unknown
export interface PageConfig {
  runtime?: 'edge' | 'experimental-edge' | 'nodejs'
  maxDuration?: number
  regions?: string | string[]
  /** A member of Portico: true lets other sites send any method to the handler, or to the page with getServerSideProps. */
  crossOrigin?: boolean
  api?: {
    bodyParser?: boolean | { sizeLimit?: number | string }
    externalResolver?: boolean
    responseLimit?: boolean | number | string
  }
}
// biome-ignore lint/suspicious/noExplicitAny: the build checks the members of next.config.
export type NextConfig = Record<string, any>
