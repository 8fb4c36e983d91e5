// Styles of styled-jsx in documents (X12), and what is before stylesheets.

import type { RenderInput } from '@portico/shared/wire/bundles.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { type ReactNode, Suspense, use } from 'react'
import packageExports from 'styled-jsx'
import { expect, test } from 'vitest'
import { templateOf } from '../server/document.tsx'
import { renderAround, renderMarkup, renderPage } from '../server/render.tsx'
import App from './app.tsx'
import Document, { type DocumentContext, Head, Html, Main, NextScript } from './document.tsx'
import Script from './script.tsx'
import { requestDocument } from './server-document.tsx'
import styledJsx, { createStyleRegistry, Style, StyleRegistry } from './styled-jsx.tsx'

const hydration: HydrationData = {
  ...{ buildId: 'b', basePath: '', trailingSlash: false, route: '/a', params: {}, props: {}, url: '/a', status: 200 },
  ...{ publicEnv: {}, isReady: true, files: { module: 'page-x.js', imports: [], styles: ['page.css'] } },
}

/** The document of a page; `_document` reads the props of each page. */
async function htmlOf(Site: unknown, page: ReactNode, given: Partial<RenderInput> = {}): Promise<string> {
  const input: RenderInput = {
    ...{ route: `/route-${Math.random()}`, hydration, entry: { module: 'start-z.js', imports: [], styles: [] } },
    ...{ nonce: { read: () => 'own', value: undefined }, onError: () => '', whole: false },
    signal: new AbortController().signal,
    ...given,
  }
  // The casts: a document in JavaScript, and a tree without the contexts of the framework.
  const tools = { templateOf, renderPage, renderMarkup, renderAround }
  const document = requestDocument(Site as typeof Document, App, tools)
  const result = await document.render({ input, data: 'none', flags: {}, Page: () => null, treeOf: () => <>{page}</> })
  if (result.kind === 'html') return result.html
  const chunks: Buffer[] = []
  const write = (chunk: string | Uint8Array) => chunks.push(Buffer.from(chunk)) > 0
  await result.pipe({ write, once: () => {} })
  return Buffer.concat(chunks).toString('utf8')
}

test('X12 the default import of styled-jsx has its functions, as that of the package', () => {
  expect(Object.keys(styledJsx).sort()).toEqual(Object.keys(packageExports).sort())
  expect(styledJsx.createStyleRegistry().styles()).toEqual([])
})

const Site = () => (
  <Html>
    <Head>
      <link rel="icon" href="/i.svg" />
    </Head>
    <body>
      <Main />
      <NextScript />
    </body>
  </Html>
)

const name = Style.dynamic([['1', ['red']]])
const styled = (
  <main className={name}>
    <Style id="1" dynamic={['red']}>
      {'main.__jsx-style-dynamic-selector{color:red}'}
    </Style>
    <Style id="2">{['b{top:0}', 'i{top:0}']}</Style>
    <Style id="2">{['b{top:0}', 'i{top:0}']}</Style>
  </main>
)
const RULES = `<style id="__${name}">main.${name}{color:red}</style><style id="__jsx-2">b{top:0}i{top:0}</style>`
const HEAD = new RegExp(
  `<link rel="stylesheet".*<link rel="icon" href="/i.svg"/>${RULES}</head>.*<main class="${name}">`,
)

test('X12 styles of a page are the last elements of the head, once each', async () => {
  expect(await htmlOf(Site, styled)).toMatch(HEAD)
  expect(await htmlOf(Site, <main />)).not.toContain('<style')
})

test('X12 they are those that Document.getInitialProps returns, and are added to the head of another one', async () => {
  class Own extends Document {
    static override async getInitialProps(context: DocumentContext) {
      const { styles, ...rest } = await Document.getInitialProps(context)
      return { ...rest, styles: [<style key="own">{'u{top:0}'}</style>, styles] }
    }
    override render() {
      return <Site />
    }
  }
  expect(await htmlOf(Own, styled)).toContain(`<style>u{top:0}</style>${RULES}</head>`)
  const getInitialProps = ({ renderPage: render }: DocumentContext) => render()
  expect(
    await htmlOf(
      Object.assign(() => <Site />, { getInitialProps }),
      styled,
    ),
  ).toMatch(HEAD)
})

test('X12 they have the nonce of the document', async () => {
  const nonce = { read: () => 'own', value: 'own' }
  expect(await htmlOf(Site, styled, { nonce })).toContain('<style id="__jsx-2" nonce="own">')
})

test('SECURITY: X12 a value cannot end the element of its style', async () => {
  const page = (
    <Style id="3" dynamic={['x']}>
      {'p.__jsx-style-dynamic-selector{color:</style><script>run()</script>}'}
    </Style>
  )
  expect(await htmlOf(Site, page)).not.toContain('</style><script>run')
})

test('X12 those of a boundary are before its content, under ids that hydration does not take for those of the head', async () => {
  const text = new Promise<string>((resolve) => setTimeout(resolve, 5, 'later'))
  const Later = () => <div key={use(text)}>{styled}</div>
  const html = await htmlOf(Site, <Suspense fallback="wait">{<Later />}</Suspense>)
  const rules = html.indexOf(RULES.replaceAll('id="__', 'id="__late-'))
  expect(rules).toBeGreaterThan(html.indexOf('start-z.js'))
  expect(html.indexOf('<main')).toBeGreaterThan(rules)
})

test('X12 they are in the registry of the render, also where the site has a StyleRegistry', async () => {
  const registry = createStyleRegistry()
  expect(await htmlOf(Site, <StyleRegistry registry={registry}>{styled}</StyleRegistry>)).toMatch(HEAD)
  expect(registry.styles()).toEqual([])
})

test('X3 X10 an inline script of _document that runs early is before the stylesheets, other elements are behind them', async () => {
  const Early = () => (
    <Html>
      <Head>
        <link rel="stylesheet" href="/own.css" />
        <Script id="theme" strategy="beforeInteractive">
          {'early = 1'}
        </Script>
      </Head>
      <body>
        <Main />
        <NextScript />
      </body>
    </Html>
  )
  const order =
    /charSet.*<script id="theme"[^>]*>early = 1<\/script><link rel="stylesheet".*<link rel="stylesheet" href="\/own.css".*<style/
  expect(await htmlOf(Early, styled)).toMatch(order)
})
