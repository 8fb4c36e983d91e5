// `next/document`: the parts of `_document`, and the document of a site without one (X1). The renderer renders the
// document once, at boot.

import { Component, type HTMLAttributes, type ReactNode } from 'react'
import { SLOTS } from '../react/document-parts.tsx'

export { Html, Main, Scripts as NextScript } from '../react/document-parts.tsx'

export interface DocumentProps {
  locale?: string
}

/** The head of the document. `next/head` adds the character set and the viewport, which pages may replace. */
export function Head({
  children,
  ...attributes
}: HTMLAttributes<HTMLHeadElement> & { children?: ReactNode; nonce?: string }) {
  const { nonce: _n, ...own } = attributes
  return (
    <head {...own}>
      {SLOTS.head}
      {children}
    </head>
  )
}

/** The class that `_document` may extend. */
export default class Document<Props = object> extends Component<Props & DocumentProps> {
  override render(): ReactNode {
    return (
      // biome-ignore lint/a11y/useHtmlLang: a site names its language in a _document of its own.
      <html>
        <Head />
        <body>
          {SLOTS.main}
          {SLOTS.scripts}
        </body>
      </html>
    )
  }
}
