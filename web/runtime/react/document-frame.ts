// What a site may have around its pages on the server: contexts, and elements of the head that they collect.

import type { DataKind } from '@portico/shared/wire/build-output.ts'
import type { RenderInput, RenderResult } from '@portico/shared/wire/bundles.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import type { ComponentType, ReactElement, ReactNode } from 'react'
import type { AppProps } from './page-types.ts'
import type { Router, SiteRuntime } from './router-context.ts'

/** Around one render of a document. */
export interface DocumentFrame {
  /** The id of the element that React renders the page into. */
  rootId: string
  wrap(tree: ReactElement): ReactElement
  /** The data element. `props` and `portico` are escaped JSON: of the props, and of all other hydration data. */
  dataElement(hydration: HydrationData, props: string, portico: string): string
  /**
   * The HTML for the head, after the page was rendered. `nonce`: that of the document's scripts. `elements`: in the place
   * of those that the frame has collected.
   */
  head(nonce: string | undefined, elements?: ReactNode): string
  /** The HTML of the styles that were added since the last call. `isLate`: for the body, after the head was sent. */
  styles(nonce: string | undefined, isLate: boolean): string
}

/** The fixed text between the slots. */
export interface DocumentTemplate {
  beforeHead: string
  /** Up to the stylesheets of the page, behind the elements of the frame. */
  beforeSheets?: string
  /** Up to the styles of the frame. */
  beforeStyles?: string
  beforeMain: string
  beforeScripts: string
  end: string
  /** Sources of the content security policy that allow the inline scripts of `_document` (G6). */
  scriptHashes: readonly string[]
  /** The nonce that `_document` gives its scripts, where the policy of the document has none. */
  nonce?: string | undefined
}

/** The complete markup of a page. */
export interface PageMarkup {
  markup: string
  /** A boundary failed. */
  incomplete: boolean
}

type PageComponent = ComponentType<Record<string, unknown>>

/** A page for a document that is rendered with it. */
export interface DocumentPage {
  input: RenderInput
  data: DataKind
  Page: PageComponent
  flags: InitialFlags
  treeOf: TreeOf
}

/** The tree of a page, without a frame. `props`: in the place of those of the page. */
export type TreeOf = (
  App: ComponentType<AppProps> | undefined,
  Page: PageComponent,
  props?: Record<string, unknown>,
) => ReactElement

/** Which getInitialProps made the props of a page (X11). */
export interface InitialFlags {
  /** The page has one. */
  gip?: true
  /** `_app` has its own. */
  appGip?: true
}

/** What getInitialProps needs of the server's entry. */
export interface SiteTools {
  /** The component of a page or screen. */
  pageOf(route: string): Promise<PageComponent>
  viewOf(hydration: HydrationData): { router: Router; runtime: SiteRuntime; treeOf: TreeOf }
}

/** A `_document` that may read the request. */
export interface RequestDocument {
  /** Renders the document once; undefined for one that reads the request, and is rendered with each page. */
  template(): DocumentTemplate | undefined
  render(page: DocumentPage): Promise<RenderResult>
}

/** What renders documents and pages. */
export interface DocumentTools {
  templateOf(document: ReactElement): DocumentTemplate
  renderPage(
    tree: ReactElement,
    template: DocumentTemplate,
    input: RenderInput,
    frame: DocumentFrame,
  ): Promise<RenderResult>
  renderMarkup(tree: ReactElement, input: RenderInput, frame: DocumentFrame): Promise<PageMarkup>
  renderAround(
    page: PageMarkup,
    template: DocumentTemplate,
    input: RenderInput,
    own: { frame: DocumentFrame; head: ReactNode },
  ): Promise<RenderResult>
}
