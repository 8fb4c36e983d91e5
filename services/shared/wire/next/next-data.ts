// What Next.js writes of a page's data (X2): the bodies at /_next/data/{buildId}/{path}.json, beside those of W2, and the
// data element of a document.

import type { DataKind } from '../build-output.ts'
import type { RedirectStatus } from '../errors/control-flow.ts'
import type { LocaleNames } from '../locales/locales.ts'
import type { HydrationData, PageData } from '../page-data.ts'
import type { RouteParams } from '../routing/routes.ts'
import type { DataPath } from '../routing/urls.ts'

/** The member of the props of a page in draft mode: W2 has it with the other props, Next.js beside them. */
export const PREVIEW_MARK = '__N_PREVIEW'

type DataForm = DataPath['as']

/** The member that names the page's data function. */
const NEXT_DATA_FLAGS: Readonly<Record<DataKind, Record<string, true>>> = {
  none: {},
  static: { __N_SSG: true },
  server: { __N_SSP: true },
}

/** The mark as the last member of the JSON of props. */
const MARK_AT_END = `"${PREVIEW_MARK}":true}`

/** The JSON of the props of a page, with the flag of its data function: the body of its page data. */
export function nextPropsBody(propsJson: string, kind: DataKind): string {
  const isPreview = propsJson.endsWith(MARK_AT_END)
  const pageProps = isPreview ? `${propsJson.slice(0, -MARK_AT_END.length).replace(/,$/, '')}}` : propsJson
  const mark = isPreview && { [PREVIEW_MARK]: true }
  const flags = JSON.stringify({ ...NEXT_DATA_FLAGS[kind], ...mark })
  return `{"pageProps":${pageProps}${flags === '{}' ? '}' : `,${flags.slice(1)}`}`
}

/** The same, as a value. */
export function nextProps({ ...pageProps }: Record<string, unknown>, kind: DataKind): NextData['props'] {
  const isPreview = pageProps[PREVIEW_MARK] === true
  delete pageProps[PREVIEW_MARK]
  return { pageProps, ...NEXT_DATA_FLAGS[kind], ...(isPreview && { [PREVIEW_MARK]: true as const }) }
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
  props: { pageProps: Record<string, unknown>; __N_SSP?: true; __N_SSG?: true; [PREVIEW_MARK]?: true }
  page: string
  query: RouteParams
  buildId: string
  isFallback: boolean
  isPreview?: true
  gsp?: true
  gssp?: true
  /** A page without a data function: the document has no query. */
  nextExport?: true
  autoExport?: true
  portico: Omit<HydrationData, 'props'>
}

/** The framework's own form of the data. */
export function hydrationOf({ props, portico }: NextData): HydrationData {
  const { pageProps, [PREVIEW_MARK]: mark } = props
  return { ...portico, props: mark ? { ...pageProps, [PREVIEW_MARK]: mark } : pageProps }
}
