// The data element of a site of Next.js: members that libraries read, and ours under `portico` (X2).

import { NEXT_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'

/** The content of the element, and `window.__NEXT_DATA__`. */
export interface NextData {
  /** The props of the page are here and at no other place. The flags name its data function. */
  props: { pageProps: Record<string, unknown>; __N_SSP?: true; __N_SSG?: true }
  page: string
  query: RouteParams
  buildId: string
  isFallback: boolean
  gsp?: true
  gssp?: true
  /** A page without a data function: the document has no query. */
  nextExport?: true
  autoExport?: true
  portico: Omit<HydrationData, 'props'>
}

/** Reads the element at the start of the browser side, and shows it to other scripts. */
export function readNextData(): HydrationData {
  const data = JSON.parse(document.getElementById(NEXT_DATA_ELEMENT_ID)!.textContent!) as NextData
  Object.assign(window, { __NEXT_DATA__: data })
  return hydrationOf(data)
}

/** The framework's own form of the data. */
export function hydrationOf({ props, portico }: NextData): HydrationData {
  return { ...portico, props: props.pageProps }
}
