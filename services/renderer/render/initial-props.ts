// Initial props in the renderer (X11): of pages, of screens, and of `_app` in addition to a data function.

import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import type { DataFunctionContext } from '@portico/shared/wire/bundles.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { InitialPage } from '@portico/shared/wire/next/initial-props.ts'
import { APP_PROPS } from '@portico/shared/wire/next/next-data.ts'
import { type Hydrated, hydrationOf, type RenderDeps } from '../context/context.ts'
import { sharedClient } from './document.ts'

type DataFunction = (context: DataFunctionContext) => unknown

/** The entry as the loaded page has it: under development the kind of data is read from the source of one file. */
export async function entryAsLoaded({ bundle }: RenderDeps, entry: PageEntry): Promise<PageEntry> {
  if (entry.data === 'server' || entry.data === 'static' || !bundle.initialProps) return entry
  return { ...entry, data: (await bundle.initialProps.has(entry.pattern)) ? 'initial' : 'none' }
}

export function loadInitialProps({ bundle }: RenderDeps, page: InitialPage): Promise<Record<string, unknown>> {
  if (!bundle.initialProps) throw new Error(`${page.hydration.route}: the bundle has no getInitialProps`)
  return bundle.initialProps.load(page)
}

/** The data function, after getInitialProps of `_app`: the props are those of both. */
export function withAppProps(
  { bundle: { initialProps } }: RenderDeps,
  page: InitialPage,
  run: DataFunction,
): DataFunction {
  if (!initialProps) return run
  return async (context) => {
    const initial = initialProps.ofApp ? await initialProps.load(page) : {}
    // The function has sent the response.
    if (page.client?.res.writableEnded) return { props: {} }
    const result = await run(context)
    const props = isRecord(result) ? await result.props : undefined
    if (!isRecord(props)) return result
    // SECURITY: props that a client chooses must not become those of `_app`.
    if (Object.hasOwn(props, APP_PROPS)) throw new Error(`${APP_PROPS}: page props must not have this name`)
    return initialProps.ofApp ? { ...(result as object), props: { ...initial, ...props } } : result
  }
}

/** What `_app` has in a page that is the same for all clients; `run` as in withAppProps. */
export function withSharedAppProps(deps: RenderDeps, page: Hydrated, run: DataFunction): DataFunction {
  return withAppProps(deps, { hydration: hydrationOf(deps, page), client: sharedClient(page) }, run)
}

/** The props of `_app` in the document of a page whose data follows. */
export async function shellProps(deps: RenderDeps, page: Hydrated): Promise<Record<string, unknown>> {
  const { initialProps } = deps.bundle
  if (!initialProps?.ofApp) return {}
  const props = await initialProps.load({ hydration: hydrationOf(deps, page), client: sharedClient(page) })
  return Object.hasOwn(props, APP_PROPS) ? { [APP_PROPS]: props[APP_PROPS] } : {}
}
