// `next/document`: the parts of `_document`, and the document of a site without one (X1, X10). server-document.tsx renders
// the document: once, when the renderer starts, or with each page.

import type { NextData } from '@portico/shared/wire/next/next-data.ts'
import {
  Children,
  Component,
  type ComponentType,
  createContext,
  type HTMLAttributes,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useContext,
} from 'react'
import { langOfPage, SLOTS } from '../react/document-parts.tsx'
import type { AppType } from './initial-types.ts'
import Script, { type ScriptProps } from './script.tsx'
import type { NextPageContext } from './types.ts'

export { Main } from '../react/document-parts.tsx'

/** `<html>`, with the locale of the page as its language. */
export function Html(props: HTMLAttributes<HTMLHtmlElement>): ReactNode {
  return <html {...langOfPage()} {...props} />
}

/** The result of `renderPage`. */
export interface RenderPageResult {
  /** The markup of the page. */
  html: string
  /** The elements that the page contributes to the head. */
  head?: (ReactElement | null)[]
}

/** The result of getInitialProps of `_document`. */
export interface DocumentInitialProps extends RenderPageResult {
  /** For the end of the head. */
  styles?: ReactNode
}

/** The props of `_document`: `html`, `head` and `styles` are those that getInitialProps returned. */
export interface DocumentProps extends Partial<DocumentInitialProps> {
  __NEXT_DATA__: Omit<NextData, 'portico'>
  dangerousAsPath: string
  locale?: string
  locales?: string[]
  defaultLocale?: string
}

type Enhance<C> = (component: C) => C
/** What `renderPage` puts around the app and around the page. */
export interface EnhanceOptions {
  enhanceApp?: Enhance<AppType>
  // biome-ignore lint/suspicious/noExplicitAny: the type of Next.js, so that sites compile unchanged.
  enhanceComponent?: Enhance<ComponentType<any>>
}

/** The argument of getInitialProps of `_document`. */
export interface DocumentContext extends NextPageContext {
  /** Renders the page to its end. A function is `enhanceComponent`. */
  renderPage(
    options?: EnhanceOptions | NonNullable<EnhanceOptions['enhanceComponent']>,
  ): RenderPageResult | Promise<RenderPageResult>
  defaultGetInitialProps(context: DocumentContext, options?: { nonce?: string }): Promise<DocumentInitialProps>
}

/** What the parts of a document have of its render. */
export interface PartsState {
  styles: ReactNode
  noteNonce(nonce: string): void
}
export const PartsContext = createContext<PartsState | null>(null)

interface HeadProps extends HTMLAttributes<HTMLHeadElement> {
  children?: ReactNode
  /** The nonce of the document's scripts, where the policy of the document has no nonce. */
  nonce?: string | undefined
  crossOrigin?: string
}

/** The place of stylesheets behind scripts; a private-use character keeps it out of an author's text. */
export const SHEETS = '\uE000sheets\uE000'

/** A script that sets a theme, for example: the browser runs it before it waits for stylesheets. */
function isEarlyText(child: ReactNode): boolean {
  return (
    isValidElement<ScriptProps>(child) &&
    child.type === Script &&
    child.props.strategy === 'beforeInteractive' &&
    child.props.src === undefined
  )
}

/** The head of the document. `next/head` adds the character set and the viewport, which pages may replace. */
export function Head({ nonce, crossOrigin: _crossOrigin, children, ...attributes }: HeadProps) {
  const parts = useContext(PartsContext)
  if (nonce !== undefined) parts?.noteNonce(nonce)
  const all = Children.toArray(children)
  const early = all.filter(isEarlyText)
  return (
    <head {...attributes}>
      {/* React writes a `<meta>` before other elements: so is the slot before those of the document. */}
      <meta name={SLOTS.head} />
      {early}
      {early.length > 0 && SHEETS}
      {all.filter((child) => !early.includes(child))}
      {parts?.styles}
    </head>
  )
}

/** The place of page data and scripts. `nonce`: as that of `Head`. */
export function NextScript({ nonce }: { nonce?: string | undefined; crossOrigin?: string }) {
  const parts = useContext(PartsContext)
  if (nonce !== undefined) parts?.noteNonce(nonce)
  return <>{SLOTS.scripts}</>
}

/** The class that `_document` may extend. */
export default class Document<Props = object> extends Component<Props & DocumentProps> {
  /** Renders the page. A `_document` that has its own is rendered with each page. */
  static getInitialProps(context: DocumentContext): Promise<DocumentInitialProps> {
    return context.defaultGetInitialProps(context)
  }

  override render(): ReactNode {
    return (
      <Html>
        <Head />
        <body>
          {SLOTS.main}
          {SLOTS.scripts}
        </body>
      </Html>
    )
  }
}
