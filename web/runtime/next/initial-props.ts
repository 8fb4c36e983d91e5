// getInitialProps of pages and of `_app` (X11): called as Next.js calls them, on the server and in the browser.

import { APP_PROPS, flatProps } from '@portico/shared/wire/next/next-data.ts'
import type { AppContext, AppInitialProps, AppType } from './initial-types.ts'

/** A component that may have getInitialProps. */
export interface InitialComponent {
  getInitialProps?: (context: never) => unknown
  /** The default function of `next/app` and `next/error`. */
  origGetInitialProps?: unknown
  displayName?: string | undefined
  name?: string
}

/** Whether the component has another function than the default one of the class that it extends. */
export function hasOwnInitialProps({ getInitialProps, origGetInitialProps }: InitialComponent): boolean {
  return getInitialProps !== undefined && getInitialProps !== origGetInitialProps
}

/** What `_app` without its own function does: the initial props of the page are `pageProps`. */
export async function appInitialProps({ Component, ctx }: AppContext): Promise<AppInitialProps> {
  return { pageProps: await call(Component, ctx, ctx) }
}

/** The props of a page with those of `_app`. Throws what the functions throw, and for a result that is no object. */
export async function loadProps(App: AppType, context: AppContext): Promise<Record<string, unknown>> {
  const props = App.getInitialProps ? await call(App, context, context.ctx) : await appInitialProps(context)
  for (const name of ['Component', 'router'])
    if (name in props)
      throw new Error(`getInitialProps of pages/_app must not return "${name}", which is a prop of its own`)
  const { pageProps } = props
  if (typeof pageProps === 'object' && pageProps !== null && APP_PROPS in pageProps)
    throw new Error(`${APP_PROPS}: page props must not have this name`)
  return flatProps(props)
}

async function call<Context>(
  component: InitialComponent & { getInitialProps?: (context: Context) => unknown },
  context: Context,
  { res }: { res?: unknown },
): Promise<Record<string, unknown>> {
  if (!component.getInitialProps) return {}
  const props = await component.getInitialProps(context)
  if (typeof props === 'object' && props !== null) return props as Record<string, unknown>
  // The function has sent the response.
  if ((res as { writableEnded?: boolean } | undefined)?.writableEnded) return {}
  const name = component.displayName ?? component.name ?? 'a page'
  throw new Error(`getInitialProps of ${name} must return an object; it returned ${String(props)}`)
}
