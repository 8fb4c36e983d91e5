// `next/document`: the parts of `_document`, and the document of a site without one (X1). The renderer renders the
// document once, at boot.

import { Component, type HTMLAttributes, type ReactNode } from 'react'
import { SLOTS } from '../react/document-parts.tsx'
import type { NextPageContext } from './types.ts'

export { Main } from '../react/document-parts.tsx'

/** `<html>`, with the locale of next.config as its language. */
export function Html(props: HTMLAttributes<HTMLHtmlElement>): ReactNode {
  // The build replaces the expression: it is the one locale of `i18n`.
  return <html lang={process.env.PORTICO_LOCALE} {...props} />
}

export interface DocumentProps {
  locale?: string
}
/** The argument of getInitialProps, which the build refuses. */
export type DocumentContext = NextPageContext
export interface DocumentInitialProps {
  html: string
  styles?: ReactNode
}

interface HeadProps extends HTMLAttributes<HTMLHeadElement> {
  children?: ReactNode
  /** The scripts of the renderer have its own. */
  nonce?: string
  crossOrigin?: string
}

/** The head of the document. `next/head` adds the character set and the viewport, which pages may replace. */
export function Head({ nonce: _nonce, crossOrigin: _crossOrigin, children, ...attributes }: HeadProps) {
  return (
    <head {...attributes}>
      {/* React writes a `<meta>` before other elements: so is the slot before those of the document. */}
      <meta name={SLOTS.head} />
      {children}
    </head>
  )
}

/** The place of page data and scripts. The nonce of the document is that of the renderer. */
export function NextScript(_props: { nonce?: string; crossOrigin?: string }) {
  return <>{SLOTS.scripts}</>
}

/** The class that `_document` may extend. */
export default class Document<Props = object> extends Component<Props & DocumentProps> {
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
