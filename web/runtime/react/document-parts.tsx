// Html, Head, Main and Scripts of pages/_document. The renderer renders them once, at boot, to a template with slots;
// runtime/server/document puts the text of each request into the slots.

import type { HTMLAttributes, ReactNode } from 'react'

/** Slot names. The private-use character keeps them out of an author's text. */
export const SLOTS = { head: '\uE000head\uE000', main: '\uE000main\uE000', scripts: '\uE000scripts\uE000' } as const

/** The slot of the locale, in sites with locales (X14). */
export const LANG_SLOT = '\uE000lang\uE000'

/** The attribute of `<html>` that follows the page, unless the author sets one. */
export function langOfPage(): { lang?: string } {
  return process.env.PORTICO_I18N ? { lang: LANG_SLOT } : {}
}

/**
 * The `<html>` element of `pages/_document.tsx`; takes its attributes. The document is rendered once at boot, so it
 * cannot depend on a request. In a site with locales `lang` is the locale of the page, unless it is given here.
 *
 * @example
 * ```tsx
 * // pages/_document.tsx
 * import { Head, Html, Main, Scripts } from 'portico'
 *
 * export default function Document() {
 *   return (
 *     <Html lang="en">
 *       <Head>
 *         <link rel="icon" href="/favicon.svg" />
 *       </Head>
 *       <body>
 *         <Main />
 *         <Scripts />
 *       </body>
 *     </Html>
 *   )
 * }
 * ```
 */
export function Html(props: HTMLAttributes<HTMLHtmlElement>) {
  return <html {...langOfPage()} {...props} />
}

/**
 * The `<head>` of `pages/_document.tsx`: character set, viewport, the given elements, and those of each page. Pages write
 * their own `<title>`, `<meta>` and `<link>` as elements, without this component.
 *
 * @example
 * ```tsx
 * // components/document-head.tsx
 * import { Head } from 'portico'
 *
 * export function DocumentHead() {
 *   return (
 *     <Head>
 *       <link rel="manifest" href="/manifest.webmanifest" />
 *     </Head>
 *   )
 * }
 * ```
 */
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

/**
 * The place of the page in `pages/_document.tsx`.
 *
 * @example
 * ```tsx
 * // components/document-body.tsx
 * import { Main, Scripts } from 'portico'
 *
 * export function DocumentBody() {
 *   return (
 *     <body className="plain">
 *       <Main />
 *       <Scripts />
 *     </body>
 *   )
 * }
 * ```
 */
export function Main() {
  return <>{SLOTS.main}</>
}

/**
 * The place of page data and scripts in `pages/_document.tsx`. Without it pages stay plain HTML.
 *
 * @example
 * ```tsx
 * // components/document-end.tsx
 * import { Scripts } from 'portico'
 *
 * export function DocumentEnd() {
 *   return (
 *     <>
 *       <noscript>This page works without JavaScript.</noscript>
 *       <Scripts />
 *     </>
 *   )
 * }
 * ```
 */
export function Scripts() {
  return <>{SLOTS.scripts}</>
}

/** The document of an app folder without `pages/_document`. */
export function DefaultDocument() {
  return (
    <Html {...(process.env.PORTICO_I18N ? {} : { lang: 'en' })}>
      <Head />
      <body>
        <Main />
        <Scripts />
      </body>
    </Html>
  )
}
