// What a site may have around its pages on the server: contexts, and elements of the head that they collect.

import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import type { ReactElement } from 'react'

/** Around one render of a document. */
export interface DocumentFrame {
  /** The id of the element that React renders the page into. */
  rootId: string
  wrap(tree: ReactElement): ReactElement
  /** The data element. `props` and `portico` are escaped JSON: of the props, and of all other hydration data. */
  dataElement(hydration: HydrationData, props: string, portico: string): string
  /** The HTML for the head, after the page was rendered. `nonce`: that of the document's scripts. */
  head(nonce: string | undefined): string
}
