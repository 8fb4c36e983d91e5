// `portico`: the public surface for pages and components.

export { type ControlFlow, notFound, redirect } from '../../services/shared/wire/control-flow.ts'
export { Head, Html, Main, Scripts } from './react/document-parts.tsx'
export { dynamic } from './react/dynamic.tsx'
export { Image, type ImageLoader, type ImageProps, useImageUrl } from './react/image.tsx'
export { type Href, Link, type LinkProps, type RouteTypes } from './react/link.tsx'
export type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  AppProps,
  ErrorPageProps,
  GetServerSideProps,
  GetStaticPaths,
  GetStaticProps,
  InvalidInput,
  PageProps,
  RouteParams,
  ServerSideContext,
  StaticContext,
  StaticImage,
} from './react/page-types.ts'
export { type PublicEnvTypes, publicEnv } from './react/public-env.ts'
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
