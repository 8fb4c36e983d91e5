// `_document` of a site of Next.js (X10). One that reads nothing of a request is rendered once, to a template. Any other
// one is rendered with each page: one with getInitialProps after the page, whose markup is complete then.

import { isPerRequest } from '@portico/shared/wire/build-output.ts'
import type { RenderResult } from '@portico/shared/wire/bundles.ts'
import { DATA_FUNCTION_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { localesOf } from '@portico/shared/wire/locales/locales.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import type { ComponentType } from 'react'
import { jsx } from 'react/jsx-runtime'
import type { DocumentPage, DocumentTemplate, DocumentTools, RequestDocument } from '../react/document-frame.ts'
import { asPathOf } from '../react/router-context.ts'
import BaseDocument, {
  type DocumentContext,
  type DocumentProps,
  type EnhanceOptions,
  PartsContext,
  type PartsState,
  SHEETS,
} from './document.tsx'
import { framed } from './frame.tsx'
import type { AppType } from './initial-types.ts'
import { appTreeOf, contextOf } from './server-context.tsx'
import { createFrame, type NextFrame } from './server-frame.tsx'

type SiteDocument = ComponentType<DocumentProps> & Partial<Pick<typeof BaseDocument, 'getInitialProps'>>

/** Props that depend on the page or the request. */
const REQUEST_PROPS: readonly (keyof DocumentProps)[] = ['__NEXT_DATA__', 'dangerousAsPath', 'html', 'head', 'styles']
/** In a site with locales each page has its own. */
const LOCALE_PROPS = process.env.PORTICO_I18N ? (['locale', 'locales', 'defaultLocale'] as const) : []

/** The place of styles at the end of the head; a private-use character keeps it out of an author's text. */
const STYLES = '\uE000styles\uE000'

/** `_document` and `_app` of a site, and what renders them. */
interface Site {
  Document: SiteDocument
  App: AppType
  tools: DocumentTools
}

export function requestDocument(Document: SiteDocument, App: AppType, tools: DocumentTools): RequestDocument {
  const site = { Document, App, tools }
  return {
    template: () => templateOnce(site),
    render: (page) => (Document.getInitialProps ? renderWithInitialProps(site, page) : renderWithData(site, page)),
  }
}

function templateOnce(site: Site): DocumentTemplate | undefined {
  const { getInitialProps } = site.Document
  if (getInitialProps && getInitialProps !== BaseDocument.getInitialProps) return undefined
  let isRead = false
  const get = () => {
    isRead = true
    throw new Error('the document is rendered with each page')
  }
  const traps = [...REQUEST_PROPS, ...LOCALE_PROPS].map((name) => [name, { get, enumerable: true }])
  // The cast: each member is defined here.
  const props = Object.defineProperties({}, Object.fromEntries(traps)) as DocumentProps
  try {
    const template = renderDocument(site, props, undefined)
    return isRead ? undefined : template
  } catch (error) {
    if (isRead) return undefined
    throw error
  }
}

/** `props` as they are: an element with spread props would read each one. */
function renderDocument(
  { Document, tools }: Site,
  props: DocumentProps,
  styles: PartsState['styles'],
): DocumentTemplate {
  let nonce: string | undefined
  const noteNonce = (given: string) => {
    // SECURITY: the nonce may be that of a request, and is written into attributes without escapes.
    if (!/^[\w+/=-]+$/.test(given)) throw new Error('pages/_document: a nonce must be base64')
    nonce = given
  }
  const last = (
    <>
      {styles}
      {STYLES}
    </>
  )
  const document = <PartsContext value={{ styles: last, noteNonce }}>{jsx(Document, props)}</PartsContext>
  const template = tools.templateOf(document)
  const [beforeSheets, afterSheets = beforeSheets] = template.beforeMain.split(SHEETS)
  // A document without a head has no place for styles.
  const [beforeStyles = '', beforeMain = beforeStyles] = afterSheets?.split(STYLES) ?? []
  return {
    ...template,
    nonce,
    beforeMain,
    ...(beforeSheets !== afterSheets && { beforeSheets }),
    ...(beforeStyles !== beforeMain && { beforeStyles }),
  }
}

/** A document without getInitialProps needs no page: the page may be streamed. */
function renderWithData(site: Site, { input, data, flags, Page, treeOf }: DocumentPage) {
  const frame = createFrame(data, flags)
  const template = renderDocument(site, requestProps(input.hydration, frame), undefined)
  return site.tools.renderPage(frame.wrap(treeOf(framed(site.App), Page)), template, input, frame)
}

function requestProps(hydration: HydrationData, frame: NextFrame): DocumentProps {
  return {
    __NEXT_DATA__: frame.nextData(hydration),
    dangerousAsPath: asPathOf(hydration.url, hydration.basePath),
    ...localesOf(hydration),
  }
}

async function renderWithInitialProps(site: Site, page: DocumentPage): Promise<RenderResult> {
  const { Document, App, tools } = site
  const { input, data, flags, Page, treeOf } = page
  const { hydration, client } = input
  const frame = createFrame(data, flags)
  let incomplete = false
  const context: DocumentContext = {
    ...contextOf({ hydration, client: client?.() }, frame, appTreeOf(App, Page, page), input.nonce?.value),
    async renderPage(options = {}) {
      const { enhanceApp, enhanceComponent }: EnhanceOptions =
        typeof options === 'function' ? { enhanceComponent: options } : options
      const tree = treeOf(framed(enhanceApp?.(App) ?? App), enhanceComponent?.(Page) ?? Page)
      const shown = await tools.renderMarkup(frame.wrap(tree), input, frame)
      incomplete ||= shown.incomplete
      return { html: shown.markup, head: frame.elements() }
    },
  }
  const given = await inTime(input.signal, () => Document.getInitialProps!(context))
  // The function has written the response itself.
  if (isPerRequest(data) && (context.res as { writableEnded?: boolean } | undefined)?.writableEnded)
    return { kind: 'html', html: '', incomplete, scriptHashes: [] }
  if (typeof given?.html !== 'string')
    throw new Error(`pages/_document: getInitialProps must return an object with the string html, as renderPage does`)
  const props = { ...requestProps(hydration, frame), ...given }
  const template = renderDocument(site, props, given.styles)
  return tools.renderAround({ markup: given.html, incomplete }, template, input, { frame, head: given.head ?? [] })
}

/** Rejects when the render is aborted, or after the time limit of a data function. */
async function inTime<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.throwIfAborted()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  const late = () =>
    reject(new Error(`getInitialProps of pages/_document took longer than ${DATA_FUNCTION_TIMEOUT_MS} ms`))
  const timer = setTimeout(late, DATA_FUNCTION_TIMEOUT_MS)
  try {
    return await Promise.race([run(), promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}
