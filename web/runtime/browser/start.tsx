// Entry of the browser side: reads the document's data, hydrates, and keeps showing what the router commits.

import { images } from 'virtual:portico/browser-app'
import { lazy, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import type { InvalidInput } from '../../../services/shared/wire/bundles.ts'
import { PAGE_DATA_ELEMENT_ID } from '../../../services/shared/wire/constants.ts'
import type { HydrationData } from '../../../services/shared/wire/page-data.ts'
import { dataUrl, splitTarget, staticUrl, stripBasePath } from '../../../services/shared/wire/urls.ts'
import { actionHost } from '../react/action-reference.ts'
import { setPublicEnv } from '../react/public-env.ts'
import { ErrorScreen, NotFoundScreen } from '../react/screens.tsx'
import { createEvents } from './events.ts'
import { loadInFull } from './full-load.ts'
import { createLinks } from './links.ts'
import { createRouteLoader } from './load-route.ts'
import { createAnnouncer, createPendingBar } from './page-chrome.ts'
import { createDataFetcher } from './page-data.ts'
import { createPrefetcher } from './prefetch.ts'
import { Root, type RootControls } from './root.tsx'
import { createRouter } from './router.ts'
import { createScrollKeeper } from './scroll.ts'
import { holdForm, OFFLINE_TEXT, showNotice, watchForms } from './submit-action-forms.ts'
import type { PageComponent, View } from './view.ts'
import { createViewLoader } from './view-loader.ts'

const data = JSON.parse(document.getElementById(PAGE_DATA_ELEMENT_ID)!.textContent!) as HydrationData
const { basePath, buildId } = data
setPublicEnv(data.publicEnv)

watchForms()
void start()

async function start(): Promise<void> {
  const loader = createRouteLoader({ basePath, buildId })
  const first = await firstView()
  const sessions = 'BroadcastChannel' in window ? new BroadcastChannel('portico-session') : undefined
  const dropPrefetched = () => {
    prefetcher.clear()
    sessions?.postMessage(0)
  }
  const fetchData = createDataFetcher({
    buildId,
    fetch: (...request) => fetch(...request),
    random: Math.random,
    onSessionChange: dropPrefetched,
    pause: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, milliseconds)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(signal.reason)
        })
      }),
  })
  const prefetcher = createPrefetcher({
    now: () => performance.now(),
    fetchData: (url, signal) => fetchData(dataAddress(url), { signal, retry: false }),
  })
  sessions?.addEventListener('message', () => prefetcher.clear())

  const events = createEvents()
  const showPending = createPendingBar()
  const scroll = createScrollKeeper()
  let controls: RootControls | undefined
  const connect = (next: RootControls) => {
    controls = next
  }
  const router = createRouter({
    basePath,
    first,
    views: createViewLoader({ basePath, buildId, loader, fetchData, prefetcher }),
    cancelPrefetch: prefetcher.cancel,
    scroll,
    events,
    loadInFull,
    announce: createAnnouncer(),
    createKey: () => Math.random().toString(36).slice(2),
    fail: (error) => controls?.setFailure(error),
    show: (view) => startTransition(() => controls?.setView(view)),
    setPending(location) {
      showPending(location !== undefined)
      controls?.setNavigation(location === undefined ? { state: 'idle' } : { state: 'loading', location })
    },
  })
  const links = createLinks(router)
  const loadSubmitAction = () => import('./submit-action.ts')
  // Whoever fills a form in will send it, maybe when the network is gone.
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('form')) void loadSubmitAction().catch(() => {})
  })
  actionHost.call = async (id, args, isHeard) => {
    const form = holdForm()
    showNotice(undefined)
    // The page that asks; another one may be shown when the answer comes.
    const url = location.pathname + location.search
    const refuse = (message: string) => {
      form?.keep()
      if (!isHeard) showNotice(message)
    }
    const module = await loadSubmitAction().catch((error: unknown) => {
      if (!form) throw error
    })
    if (!module) {
      form?.release()
      refuse(OFFLINE_TEXT)
      return { issues: [{ path: '', message: OFFLINE_TEXT }], fields: {} } satisfies InvalidInput
    }
    const call = module.submitAction(id, args, {
      buildId,
      applyData: (page) => router.applyData(page, url),
      follow: (location) => void router.push(location),
      showNotFound: () => void router.applyData({ kind: 'not-found' }, url),
      onAnswer: dropPrefetched,
      onRefused: refuse,
    })
    return call.finally(() => form?.release())
  }

  const NotFound = lazy(async () => {
    const screen = (await loader.manifest()).screens.find(({ pattern }) => pattern === '/404')
    return { default: screen ? await loader.load(screen.files) : NotFoundScreen }
  })
  const runtime = { basePath, publicEnv: data.publicEnv, images }
  startTransition(() => {
    hydrateRoot(
      document.getElementById('portico')!,
      <Root
        first={first}
        router={router}
        events={events}
        links={links}
        runtime={runtime}
        NotFound={NotFound}
        connect={connect}
      />,
      {
        // React's own tuple, made by the server for this document.
        ...(data.formState !== undefined && { formState: data.formState as never }),
      },
    )
  })
  router.settleAddress()
  // What a later navigation ended is no fault.
  if (data.isFallback) router.refresh().catch(() => {})
  scroll.restore((history.state as { portico?: string } | null)?.portico ?? '')
}

async function firstView(): Promise<View> {
  const { route, params, props, url, isFallback = false } = data
  const Page = await firstComponent()
  // Without the hash, which the server does not know: hydration must begin with what it rendered.
  return { route, params, props, Page, url, isFallback, isReady: url === location.pathname + location.search }
}

async function firstComponent(): Promise<PageComponent> {
  if (!data.files.module) return data.route === '/404' ? NotFoundScreen : (ErrorScreen as PageComponent)
  const module = (await import(/* @vite-ignore */ staticUrl(basePath, data.files.module))) as { default: PageComponent }
  return module.default
}

/** The data address of a page address (both with basePath). */
function dataAddress(url: string): string {
  const { pathname, search } = splitTarget(url)
  return dataUrl(basePath, buildId, stripBasePath(pathname, basePath) ?? pathname, search)
}
