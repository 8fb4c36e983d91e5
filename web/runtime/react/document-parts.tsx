// Html, Head, Main and Scripts of pages/_document. They are rendered once, at boot, to a template with slots; what a
// request adds is put into the slots as text (runtime/server/document).

import type { HTMLAttributes, ReactNode } from 'react'

/** Slot names; they cannot occur in an author's document because of the private-use character. */
export const SLOTS = { head: '\uE000head\uE000', main: '\uE000main\uE000', scripts: '\uE000scripts\uE000' } as const

export function Html(props: HTMLAttributes<HTMLHtmlElement>) {
  return <html {...props} />
}

/** Elements that stand in every page's head. */
export function Head({ children }: { children?: ReactNode }) {
  return (
    <head>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      {children}
      {SLOTS.head}
    </head>
  )
}

export function Main() {
  return <>{SLOTS.main}</>
}

export function Scripts() {
  return <>{SLOTS.scripts}</>
}

/** The document of an app folder that has none of its own. */
export function DefaultDocument() {
  return (
    <Html lang="en">
      <Head />
      <body>
        <Main />
        <Scripts />
      </body>
    </Html>
  )
}
