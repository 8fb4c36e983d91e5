// What Next.js writes of a page's data (X2): the bodies at /_next/data/{buildId}/{path}.json, next to those of W2, and the
// data element of a document.

import type { DataKind } from '../build-output.ts'
import type { RedirectStatus } from '../errors/control-flow.ts'
import { escapeJson } from '../json/escape-json.ts'
import type { LocaleNames } from '../locales/locales.ts'
import type { HydrationData, PageData } from '../page-data.ts'
import type { RouteParams } from '../route-params.ts'
import type { DataPath } from '../routing/urls.ts'

/** The member of the props of a page in draft mode: W2 has it with the other props, Next.js next to them. */
export const PREVIEW_MARK = '__N_PREVIEW'

type DataForm = DataPath['as']

/** The member that names the page's data function. */
const NEXT_DATA_FLAGS: Readonly<Record<DataKind, Record<string, true>>> = {
  none: {},
  static: { __N_SSG: true },
  server: { __N_SSP: true },
  initial: {},
}

/**
 * The member of a page's props with the other props of `_app`: getInitialProps of `_app` may return more than `pageProps`
 * (X11). What Next.js writes has them next to `pageProps`.
 */
export const APP_PROPS = '__portico_app'

/** The props of `_app` as one object of page props. */
export function flatProps({ pageProps, ...own }: Partial<NextData['props']>): Record<string, unknown> {
  return Object.keys(own).length > 0 ? { ...pageProps, [APP_PROPS]: own } : (pageProps ?? {})
}

/** The props of `_app` of the page props; the same object for a page without props of `_app`. */
export function appPropsOf(props: Record<string, unknown>): {
  pageProps: Record<string, unknown>
  [name: string]: unknown
} {
  if (!Object.hasOwn(props, APP_PROPS)) return { pageProps: props }
  const { [APP_PROPS]: own, ...pageProps } = props
  // The cast: `flatProps` made an object of it.
  return { ...(own as object), pageProps }
}

/** The mark as the last member of the JSON of props. */
const MARK_AT_END = `"${PREVIEW_MARK}":true}`

/** The JSON of the props of a page, with the flag of its data function: the body of its page data. */
export function nextPropsBody(propsJson: string, kind: DataKind): string {
  if (propsJson.includes(`"${APP_PROPS}":`))
    return escapeJson(JSON.stringify(nextProps(JSON.parse(propsJson) as Record<string, unknown>, kind)))
  const isPreview = propsJson.endsWith(MARK_AT_END)
  const pageProps = isPreview ? `${propsJson.slice(0, -MARK_AT_END.length).replace(/,$/, '')}}` : propsJson
  const mark = isPreview && { [PREVIEW_MARK]: true }
  const flags = JSON.stringify({ ...NEXT_DATA_FLAGS[kind], ...mark })
  return `{"pageProps":${pageProps}${flags === '{}' ? '}' : `,${flags.slice(1)}`}`
}

/** The same, as a value. */
export function nextProps(props: Record<string, unknown>, kind: DataKind): NextData['props'] {
  const { pageProps: given, ...own } = appPropsOf(props)
  const { [PREVIEW_MARK]: mark, ...pageProps } = given
  return { ...own, pageProps, ...NEXT_DATA_FLAGS[kind], ...(mark === true && { [PREVIEW_MARK]: true as const }) }
}

/** The body of a redirect, whose location is without basePath. `kind`: of the page that redirects; absent for a rule. */
export function redirectBody(
  as: DataForm,
  { location, status }: { location: string; status: RedirectStatus },
  kind: DataKind = 'none',
): string {
  if (as === 'data') return JSON.stringify({ kind: 'redirect', location, status } satisfies PageData)
  const pageProps = { __N_REDIRECT: location, __N_REDIRECT_STATUS: status }
  return JSON.stringify({ pageProps, ...NEXT_DATA_FLAGS[kind] })
}

/** The body of a 404 response. */
export function notFoundBody(as: DataForm): string {
  return JSON.stringify(as === 'data' ? ({ kind: 'not-found' } satisfies PageData) : { notFound: true })
}

/** The content of the data element, and `window.__NEXT_DATA__`: members that libraries read, and ours under `portico`. */
export interface NextData extends LocaleNames {
  /** The props of the page are here and at no other place. The flags name its data function. */
  props: {
    pageProps: Record<string, unknown>
    __N_SSP?: true
    __N_SSG?: true
    [PREVIEW_MARK]?: true
    [ofApp: string]: unknown
  }
  page: string
  query: RouteParams
  buildId: string
  isFallback: boolean
  assetPrefix?: string
  isPreview?: true
  gsp?: true
  gssp?: true
  /** The page has getInitialProps. */
  gip?: true
  /** `_app` itself has getInitialProps. */
  appGip?: true
  /** A page without a data function: the document has no query. */
  nextExport?: true
  autoExport?: true
  portico: Omit<HydrationData, 'props'>
}

/** The framework's own form of the data. */
export function hydrationOf({ props, portico }: NextData): HydrationData {
  const { __N_SSP, __N_SSG, [PREVIEW_MARK]: mark, ...own } = props
  const flat = flatProps(own)
  return { ...portico, props: mark ? { ...flat, [PREVIEW_MARK]: mark } : flat }
}
