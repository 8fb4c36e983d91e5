// The context of getInitialProps on the server: of `_document` (X10), and of pages and `_app` (X11).

import { localesOf } from '@portico/shared/wire/locales/locales.ts'
import type { InitialPage } from '@portico/shared/wire/next/initial-props.ts'
import { flatProps } from '@portico/shared/wire/next/next-data.ts'
import type { ComponentType } from 'react'
import type { DocumentPage } from '../react/document-frame.ts'
import { asPathOf } from '../react/router-context.ts'
import type { DocumentContext, DocumentInitialProps } from './document.tsx'
import { framed } from './frame.tsx'
import type { AppTreeType, AppType } from './initial-types.ts'
import { createFrame, type NextFrame } from './server-frame.tsx'

/** What pages and `_app` receive, and `_document` in addition. */
type ServerContext = Omit<DocumentContext, 'renderPage'>

export function contextOf(
  { hydration, client, error }: InitialPage,
  frame: NextFrame,
  AppTree: AppTreeType,
  policyNonce?: string,
): ServerContext {
  const { page: pathname, query } = frame.nextData(hydration)
  const { url, basePath, status, digest } = hydration
  const err = errorOf(error, status, digest)
  return {
    pathname,
    query,
    asPath: asPathOf(url, basePath),
    ...localesOf(hydration),
    // The cast: the objects of the page's data function.
    ...(client as Pick<DocumentContext, 'req' | 'res'> | undefined),
    ...(err && { err }),
    AppTree,
    async defaultGetInitialProps(own, { nonce } = {}): Promise<DocumentInitialProps> {
      const rendered = await own.renderPage()
      return { ...rendered, styles: frame.takeStyles(nonce ?? policyNonce) }
    },
  }
}

/** A document does not know the error itself, which is in the log. */
function errorOf(error: unknown, statusCode: number, digest: string | undefined): DocumentContext['err'] {
  if (error instanceof Error) return error
  if (statusCode < 500) return undefined
  return Object.assign(new Error(error === undefined ? 'the page failed' : String(error)), { statusCode, digest })
}

/** The component that renders the page in its app with other props: libraries collect data with it. */
export function appTreeOf(
  App: AppType,
  Page: ComponentType<Record<string, unknown>>,
  { data, treeOf }: Pick<DocumentPage, 'data' | 'treeOf'>,
): AppTreeType {
  const Framed = framed(App)
  // What such a render contributes to the head is not in the document.
  return (props) => createFrame(data).wrap(treeOf(Framed, Page, flatProps(props)))
}
