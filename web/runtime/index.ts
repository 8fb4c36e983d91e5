// `portico`: the public surface for pages and components.

export { type ControlFlow, notFound, redirect } from '../../services/shared/wire/control-flow.ts'
export { Head, Html, Main, Scripts } from './react/document-parts.tsx'
export { dynamic } from './react/dynamic.tsx'
export type { Href } from './react/href.ts'
export { Image, type ImageLoader, type ImageProps, useImageUrl } from './react/image.tsx'
export { Link, type LinkProps } from './react/link.tsx'
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

/** The paths of an app folder, as `path`. The build declares them in the folder's `portico-env.d.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface RouteTypes {}

/** The values of `publicEnv` in portico.config.ts with their types. The same file declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface PublicEnvTypes {}
