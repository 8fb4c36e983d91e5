// Reads the document's data and hydrates the page; the router is loaded after that.

import { PAGE_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { type ComponentType, lazy, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import type { AppProps } from '../../react/page-types.ts'
import { setPublicEnv } from '../../react/public-env.ts'
import type { SiteRuntime } from '../../react/router-context.ts'
import { whenIdle, whenLoaded } from '../../react/when-loaded.ts'
import { connectActions, watchForms } from '../actions/actions.ts'
import { devHost, errorHost, rethrowReported } from '../hosts.ts'
import { fileAddress } from '../stylesheets.ts'
import {
  addressOf,
  createEvents,
  createKey,
  historyKey,
  loadInFull,
  pageOf,
  restoreScroll,
  showPendingBar,
} from '../tab.ts'
import type { PageComponent, RootControls, View } from '../view.ts'
import { documentQuery } from './document-query.ts'
import { createLateRouter } from './late-router.ts'
import { Root, type RootProps } from './root.tsx'

/** The build's part of the browser side. */
interface BrowserApp {
  App: ComponentType<AppProps> | undefined
  images: SiteRuntime['images']
}

/** Hydrates the document. Called once, before any other script listens to forms. */
export async function startPage({ App, images }: BrowserApp): Promise<void> {
  watchForms()
  const data = JSON.parse(document.getElementById(PAGE_DATA_ELEMENT_ID)!.textContent!) as HydrationData
  const { basePath, trailingSlash, buildId, files } = data
  setPublicEnv(data.publicEnv)
  const events = createEvents()
  if (data.deferred) (await import('../deferred/deferred.ts')).openDocument(data)
  const page = pageOf(location)
  const first = await firstView(data)
  // A step back during the load shows the address of another page, which is not in this document.
  if (page !== pageOf(location)) return location.reload()
  const entry = { url: addressOf(location), key: historyKey() ?? createKey() }
  // Keeps the state of other scripts.
  history.replaceState({ ...history.state, portico: entry.key }, '')
  /** The view at the address in the browser's bar: the server did not know its hash, and for a cached page its query. */
  const shown: View = { ...first, url: entry.url, isReady: true }
  if (process.env.PORTICO_REWRITES) shown.params = { ...documentQuery(), ...first.params }

  let connect: (controls: RootControls) => void
  const connected = new Promise<RootControls>((done) => {
    connect = done
  })
  const router = createLateRouter({
    basePath,
    async load() {
      // The code is fetched while the page hydrates.
      let code = import('../navigation/navigation.ts')
      if (process.env.PORTICO_ERRORS) code = code.catch(rethrowReported)
      const [{ createNavigation }, controls] = await Promise.all([code, connected])
      return createNavigation({ basePath, trailingSlash, buildId, files, shown, entry, events, controls })
    },
    onWait(address) {
      showPendingBar(address !== undefined)
      void connected.then(({ setPending }) => setPending(address))
    },
    loadInFull: (url, reason) => void connected.then(({ setFailure }) => loadInFull(url, reason, setFailure)),
  })
  connectActions({ basePath, buildId, router })

  const Screen = lazy(async () => ({ default: (await router.load()).Screen }))
  const runtime: SiteRuntime = { basePath, trailingSlash, publicEnv: data.publicEnv, images }
  if (process.env.PORTICO_I18N) {
    const { locale, locales, defaultLocale } = data
    // The server has written all three.
    runtime.i18n = { locale: locale!, locales: locales!, defaultLocale: defaultLocale! }
    first.locale = locale!
  }
  const early = document.$$reactFormReplay
  // Without the code these submissions are run all the same.
  if (early)
    await import('../actions/early-submissions.ts').then(
      (module) => module.watchEarlySubmissions(early),
      () => {},
    )
  hydrate(data, { App, first, router, events, runtime, Screen, connect: (controls) => connect(controls) })
  if (process.env.NODE_ENV !== 'production') devHost.onStart?.({ refresh: router.refresh, events })
  restoreScroll(entry.key)
  const { setView } = await connected
  if (!first.isReady || first.url !== shown.url) startTransition(() => setView(shown))
  // The first click reports a failure.
  const load = () => void router.load().catch(() => {})
  if (data.isFallback) void router.refresh()
  // The code also notices when the connection of a document breaks whose values follow (navigation.ts).
  else if (data.deferred) whenIdle(load)
  // The page is complete without the router: its code, and all that links prefetch, come after the page's own images (P1).
  else whenLoaded(load)
}

function hydrate({ formState }: HydrationData, props: RootProps): void {
  const options = process.env.NODE_ENV === 'production' ? undefined : devHost.rootOptions
  startTransition(() => {
    hydrateRoot(document.getElementById('portico')!, <Root {...props} />, {
      ...options,
      ...(process.env.PORTICO_ERRORS ? errorHost.watchRoot?.(options) : undefined),
      // React's own tuple, which the server rendered for this document.
      ...(formState !== undefined && { formState: formState as never }),
    })
  })
}

async function firstView(data: HydrationData): Promise<View> {
  const { route, params, props, url, isFallback = false, isReady } = data
  const Page = await firstComponent(data)
  // Without the hash, and for a cached page without the query: hydration must begin with the server's view.
  return { route, params, props, Page, styles: [], url, isFallback, isReady }
}

async function firstComponent({ route, files }: HydrationData): Promise<PageComponent> {
  // The default screens are in the router's code, which other pages do not wait for.
  if (!files.module) return (await import('../navigation/navigation.ts')).defaultScreen(route)
  const module = (await import(/* @vite-ignore */ fileAddress(files.module))) as { default: PageComponent }
  return module.default
}
