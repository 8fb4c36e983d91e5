// Types of pages that site authors import from `portico`; the names are the Pages Router's (F2).

import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import type { ComponentType, ReactElement, ReactNode } from 'react'
import type { Router } from './router-context.ts'

/**
 * The component of a page, with the layout that the page chooses. `pages/_app.tsx` calls `getLayout`; React keeps a layout
 * with its state between pages that have the same layout component in the same place.
 *
 * @example
 * ```tsx
 * // pages/settings/profile.tsx
 * import type { Page } from 'portico'
 * import type { ReactNode } from 'react'
 *
 * function SettingsLayout({ children }: { children: ReactNode }) {
 *   return <section aria-label="Settings">{children}</section>
 * }
 *
 * const Profile: Page = () => <h1>Profile</h1>
 * Profile.getLayout = (page) => <SettingsLayout>{page}</SettingsLayout>
 * export default Profile
 * ```
 */
export type Page<Props = object> = ComponentType<Props> & {
  /** Returns the page within its layout. */
  getLayout?: (page: ReactElement) => ReactNode
}

/** The props of `pages/_app.tsx`. */
export interface AppProps<Props = Record<string, unknown>> {
  // The app component renders any page; TypeScript checks the type of a page in the file of the page.
  // biome-ignore lint/suspicious/noExplicitAny: a component of unknown props cannot be rendered with unknown props.
  Component: Page<any>
  pageProps: Props
  router: Router
}

/** The props of `pages/_error.tsx`, `pages/404.tsx` and `pages/500.tsx`. `digest` finds the error in the log. */
export interface ErrorPageProps {
  statusCode?: number
  title?: string
  digest?: string
}

/** The default export of an imported image; the build adds the size and the blur placeholder. */
export interface StaticImage {
  src: string
  width: number
  height: number
  blurDataURL?: string
}

/** A page or screen whose code has been loaded. */
export interface LoadedPage {
  Page: ComponentType<Record<string, unknown>>
  route: string
  params: RouteParams
  /** The address of the page, with basePath. */
  url: string
  /** In the address bar, with basePath. */
  address: string
  basePath: string
  /** What getInitialProps of a page has thrown, for the screen of the error. */
  error?: unknown
}

// Props that the browser makes itself (X11): what browser/views/view-props.ts, and in sites of Next.js next/browser-initial-
// props.tsx in its place, gives to the loader of views.

export interface ViewProps {
  /** The data of a page with getInitialProps. Rejects with what the function throws. */
  load(page: LoadedPage): Promise<PageData>
  /** What getInitialProps adds to the props of a screen. */
  ofScreen(page: LoadedPage): Promise<Record<string, unknown>>
}
