// The root component of the browser side: shows the view that the router committed.

import { type ComponentType, useCallback, useInsertionEffect, useLayoutEffect, useMemo, useState } from 'react'
import type { Screen } from '../../react/boundaries.tsx'
import { PageTree } from '../../react/page-tree.tsx'
import type { AppProps } from '../../react/page-types.ts'
import { addressIn, type NavigationState, type RouterEvents, type SiteRuntime } from '../../react/router-context.ts'
import { errorHost } from '../hosts.ts'
import type { RootControls, View } from '../view.ts'
import type { LateRouter } from './late-router.ts'
import { createRouterState } from './router-state.ts'

export interface RootProps {
  App: ComponentType<AppProps> | undefined
  first: View
  router: LateRouter
  events: RouterEvents
  runtime: SiteRuntime
  Screen: Screen
  connect: (controls: RootControls) => void
}

const IDLE: NavigationState = { state: 'idle' }

export function Root({ App, first, router, events, runtime, Screen, connect }: RootProps) {
  const [view, setView] = useState(first)
  const [navigation, setNavigation] = useState(IDLE)
  const [failure, setFailure] = useState<Error>()
  useLayoutEffect(() => {
    const show = (next: View) => {
      setView(next)
      setFailure(undefined)
    }
    const setPending = (location: string | undefined) =>
      setNavigation(location === undefined ? IDLE : { state: 'loading', location })
    connect({ setView: show, setPending, setFailure })
  }, [connect])
  useInsertionEffect(() => {
    // Before React reports what the view has thrown.
    if (process.env.PORTICO_ERRORS) errorHost.route = view.route
    view.onApply?.()
  }, [view])
  useLayoutEffect(() => router.onShown(view), [view, router])
  const state = useMemo(() => createRouterState(view, router, events, runtime), [view, router, events, runtime])
  const follow = useCallback((location: string) => void router.replace(addressIn(runtime, location)), [router, runtime])
  const failed = useMemo(() => ({ failure }), [failure])
  return (
    <PageTree
      App={App}
      Page={failure ? Failure : view.Page}
      Screen={Screen}
      pageProps={failure ? failed : view.props}
      state={state}
      runtime={process.env.PORTICO_I18N ? (state.runtime ?? runtime) : runtime}
      navigation={navigation}
      onRedirect={follow}
    />
  )
}

function Failure({ failure }: Record<string, unknown>): never {
  throw failure
}
