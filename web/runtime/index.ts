// `portico`: the public surface for pages and components.

export {
  type ControlFlow,
  forbidden,
  notFound,
  redirect,
  unauthorized,
} from '@portico/shared/wire/errors/control-flow.ts'
export type {
  ClientErrorContext,
  ClientErrorKind,
  InstrumentationClientModule,
} from './client-instrumentation.ts'
export type {
  ApiConfig,
  ApiHandler,
  ApiRequest,
  ApiResponse,
  GetServerSideProps,
  GetStaticPaths,
  GetStaticProps,
  InvalidInput,
  PageProps,
  RouteParams,
  ServerSideContext,
  StaticContext,
} from './data-types.ts'
export { Head, Html, Main, Scripts } from './react/document-parts.tsx'
export { dynamic } from './react/dynamic.tsx'
export { type CaughtError, ErrorBoundary, type ErrorBoundaryProps } from './react/error-boundary.tsx'
export { Image, type ImageLoader, type ImageProps, useImageUrl } from './react/image.tsx'
export { Link, type LinkProps } from './react/link.tsx'
export { useNonce } from './react/nonce.ts'
export type { AppProps, ErrorPageProps, Page, StaticImage } from './react/page-types.ts'
export { publicEnv } from './react/public-env.ts'
export {
  type NavigateOptions,
  type Router,
  type RouterEventName,
  useNavigation,
  useParams,
  usePathname,
  useRouter,
  useSearchParams,
} from './react/router-context.ts'
// A star: the `declare module 'portico'` of portico-env.d.ts merges with types that a star exports, not with named ones.
export type * from './react/site-types.ts'
export type { Href } from './react/site-types.ts'
