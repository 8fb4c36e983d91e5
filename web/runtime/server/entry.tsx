// Entry of the renderer's bundle: pages, React and the request context, reached only through `bundle` (W7).

import 'virtual:portico/framework'
import {
  App,
  createFrame,
  createInitialProps,
  createRequestDocument,
  Document,
  images,
  instrumentation,
  middleware,
  pages as pageImports,
} from 'virtual:portico/server-pages'
import type { DataKind } from '@portico/shared/wire/build-output.ts'
import type { PageModule, RenderInput, RenderResult, ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { HydrationData, PublicValues } from '@portico/shared/wire/page-data.ts'
import { actionHost } from '../react/action-reference.ts'
import type { DocumentTemplate, InitialFlags, TreeOf } from '../react/document-frame.ts'
import { DefaultDocument } from '../react/document-parts.tsx'
import { nonceHost } from '../react/nonce.ts'
import { PageTree } from '../react/page-tree.tsx'
import { setPublicEnv } from '../react/public-env.ts'
import { defaultScreen } from '../react/screens.tsx'
import { createTemplate, templateOf } from './document.tsx'
import { renderForm } from './form-action.ts'
import { type PageComponent, renderAround, renderMarkup, renderPage } from './render.tsx'
import { currentContext, runWithContext } from './request-context.ts'
import { createStaticRouterState, pageLocaleOf } from './static-router.ts'

actionHost.renderForm = renderForm
nonceHost.read = () => currentContext('useNonce()').readNonce?.()

const requestDocument = createRequestDocument?.({ templateOf, renderPage, renderMarkup, renderAround })
let prepared: { template: DocumentTemplate | undefined } | undefined

/** `_document` may read values of `publicEnv`, which are known after the bundle was loaded. */
function templateWith(publicEnv: PublicValues): DocumentTemplate | undefined {
  setPublicEnv(publicEnv)
  prepared ??= { template: requestDocument ? requestDocument.template() : createTemplate(Document ?? DefaultDocument) }
  return prepared.template
}

/** An `import()` resolves its module at each call, which costs a tenth of a small page: each import is made once. */
const pages = Object.fromEntries(Object.entries(pageImports).map(([route, load]) => [route, once(load)]))

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let module: Promise<T> | undefined
  return () => {
    module ??= load().catch((error: unknown) => {
      module = undefined
      throw error
    })
    return module
  }
}

/** Routes of screens that an app folder may lack. */
const SCREEN_ROUTES: readonly string[] = ['/404', '/500', '/_error']
/** React renders what boundaries show in the browser only. */
const NoScreen = () => null

const IDLE = { state: 'idle' } as const
const stay = () => {}

async function render(input: RenderInput): Promise<RenderResult> {
  const { hydration, route } = input
  const module = await pages[route]?.()
  const Page = componentOf(route, module)
  const { treeOf } = viewOf(hydration)
  const data = await dataKindOf(module, route)
  const flags = flagsOf(Page)
  const template = templateWith(hydration.publicEnv)
  if (!template) return requestDocument!.render({ input, data, flags, Page, treeOf })
  const tree = treeOf(App, Page)
  const frame = createFrame?.(data, flags)
  return renderPage(frame ? frame.wrap(tree) : tree, template, input, frame)
}

function componentOf(route: string, module: PageModule | undefined): PageComponent {
  const component = module ? module.default : SCREEN_ROUTES.includes(route) && defaultScreen(route)
  if (typeof component !== 'function' && (typeof component !== 'object' || component === null))
    throw new Error(`the page ${route} has no component as its default export`)
  // JavaScript cannot check more; React reports the rest.
  return component as PageComponent
}

/** The page of a route as components see it. */
function viewOf(hydration: HydrationData) {
  const { basePath, trailingSlash, publicEnv } = hydration
  const state = createStaticRouterState(hydration)
  const i18n = pageLocaleOf(hydration)
  const runtime = { basePath, trailingSlash, publicEnv, images, ...(i18n && { i18n }) }
  const treeOf: TreeOf = (SiteApp, Shown, props = hydration.props) => (
    <PageTree
      App={SiteApp}
      Page={Shown}
      Screen={NoScreen}
      pageProps={props}
      state={state}
      runtime={runtime}
      navigation={IDLE}
      onRedirect={stay}
    />
  )
  return { router: state.router, runtime, treeOf }
}

const initialProps = createInitialProps?.({
  pageOf: async (route: string) => componentOf(route, await pages[route]?.()),
  viewOf,
})

async function dataKindOf(module: PageModule | undefined, route: string): Promise<DataKind> {
  if (module?.getServerSideProps) return 'server'
  if (module?.getStaticProps) return 'static'
  return (await initialProps?.has(route)) ? 'initial' : 'none'
}

function flagsOf(Page: PageComponent): InitialFlags {
  if (!initialProps) return {}
  return { ...(Reflect.has(Page, 'getInitialProps') && { gip: true }), ...(initialProps.ofApp && { appGip: true }) }
}

export const bundle: ServerBundle = {
  pages,
  prepare: templateWith,
  initialProps,
  render,
  instrumentation,
  runWithContext,
  ...(middleware && { middleware }),
}
