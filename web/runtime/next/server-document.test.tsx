// `_document` of a site of Next.js: when it is rendered, what it receives, and what the document has of it (X10).

import type { RenderInput, RenderResult } from '@portico/shared/wire/bundles.ts'
import { DATA_FUNCTION_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { type ComponentType, createContext, Fragment, type ReactNode, Suspense, use, useContext } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { DocumentPage } from '../react/document-frame.ts'
import { PageTree } from '../react/page-tree.tsx'
import { templateOf } from '../server/document.tsx'
import { renderAround, renderMarkup, renderPage } from '../server/render.tsx'
import { createStaticRouterState } from '../server/static-router.ts'
import type { AppProps } from './app.tsx'
import Document, { type DocumentContext, Head, Html, Main, NextScript } from './document.tsx'
import NextHead from './head.tsx'
import { requestDocument } from './server-document.tsx'

const hydration: HydrationData = {
  ...{ buildId: 'b', basePath: '/shop', trailingSlash: false, route: '/posts/[slug]', params: { slug: 'a' } },
  ...{ props: { name: 'Ada' }, url: '/shop/posts/a?tab=1', status: 200, publicEnv: {}, isReady: true },
  files: { module: 'page-x.js', imports: [], styles: [] },
}

const Note = createContext('none')
function Page({ name }: Record<string, unknown>) {
  return (
    <main>
      <NextHead>
        <title>Page</title>
      </NextHead>
      {`${name} ${useContext(Note)}`}
    </main>
  )
}
const App = ({ Component, pageProps }: AppProps) => <Component {...pageProps} />
const runtime = { basePath: '/shop', trailingSlash: false, publicEnv: {} } as never

interface Given {
  input?: Partial<RenderInput>
  Page?: DocumentPage['Page']
}

/** Renders the page at /shop/posts/a within the document. */
function resultOf(Site: unknown, { input, Page: Shown = Page }: Given = {}): Promise<RenderResult> {
  const whole: RenderInput = {
    route: `/route-${Math.random()}`,
    hydration,
    entry: { module: 'start-z.js', imports: [], styles: [] },
    nonce: { read: () => 'own', value: undefined },
    onError: () => 'digest',
    signal: new AbortController().signal,
    whole: false,
    ...input,
  }
  const treeOf: DocumentPage['treeOf'] = (Frame, Each) => (
    <PageTree
      App={Frame}
      Page={Each}
      Screen={() => null}
      pageProps={whole.hydration.props}
      state={createStaticRouterState(whole.hydration)}
      runtime={runtime}
      navigation={{ state: 'idle' }}
      onRedirect={() => {}}
    />
  )
  return documentOf(Site).render({ input: whole, data: 'server', flags: {}, Page: Shown, treeOf })
}

// The cast: documents of sites in JavaScript, with their own props.
const documentOf = (Site: unknown) =>
  requestDocument(Site as typeof Document, App, { templateOf, renderPage, renderMarkup, renderAround })

async function htmlOf(Site: unknown, given?: Given): Promise<string> {
  const result = await resultOf(Site, given)
  if (result.kind !== 'html') throw new Error(result.kind)
  return result.html
}

function Parts({ head, nonce, ...attributes }: { head?: ReactNode; nonce?: string; [name: string]: unknown }) {
  return (
    <Html {...attributes}>
      <Head nonce={nonce}>{head}</Head>
      <body>
        <Main />
        <NextScript nonce={nonce} />
      </body>
    </Html>
  )
}

/** A document with getInitialProps. */
function withInitialProps(
  getInitialProps: (context: DocumentContext) => unknown,
  render: (props: never) => ReactNode = Parts,
) {
  return Object.assign((props: never) => render(props), { getInitialProps })
}

afterEach(() => {
  vi.useRealTimers()
})

describe('X10 a document is rendered once', () => {
  class Inherited extends Document {
    override render() {
      return <Parts lang={this.props.locale} data-own="yes" />
    }
  }
  test.each<[string, unknown]>([
    ['the default one', Document],
    ['a class that extends it', Inherited],
    ['a function', () => <Parts data-own="yes" />],
  ])('that reads nothing of a request: %s', (_name, Site) => {
    expect(documentOf(Site).template()?.beforeHead).toMatch(/^<!DOCTYPE html><html/)
  })

  class Reads extends Document<{ other?: string }> {
    override render() {
      return <Parts data-page={this.props.__NEXT_DATA__.page} />
    }
  }
  const Catches = ({ styles }: { styles: unknown }) => <Parts data-styles={typeof styles} />
  test.each<[string, unknown]>([
    ['its props', Reads],
    ['all of its props', (props: object) => <Parts data-own={Object.keys({ ...props }).length} />],
    ['its styles', Catches],
    ['getInitialProps', withInitialProps((context) => context.renderPage())],
  ])('and with each page where it reads %s', (_name, Site) => {
    expect(documentOf(Site).template()).toBeUndefined()
  })

  test('and its error is that of the start', () => {
    const fails = () => {
      throw new Error('no such file')
    }
    expect(() => documentOf(fails).template()).toThrow('no such file')
  })

  test('props are those of the page, for a class and for a function, which may be streamed', async () => {
    expect(await htmlOf(Reads)).toContain('<html data-page="/posts/[slug]">')
    const Site = ({ __NEXT_DATA__: { query, props }, dangerousAsPath }: Document['props']) => (
      <Parts data-own={JSON.stringify([query, props, dangerousAsPath])} />
    )
    const own = [{ tab: '1', slug: 'a' }, { pageProps: { name: 'Ada' }, __N_SSP: true }, '/posts/a?tab=1']
    expect(await htmlOf(Site)).toContain(`data-own="${JSON.stringify(own).replaceAll('"', '&quot;')}"`)
    const later = Promise.resolve('later')
    const Suspends = () => <Suspense fallback="wait">{use(later)}</Suspense>
    expect((await resultOf(Site, { Page: Suspends })).kind).toBe('stream')
    const whole = withInitialProps((context) => context.renderPage())
    expect(await htmlOf(whole, { Page: Suspends })).toContain('later')
  })
})

describe('X10 getInitialProps of _document', () => {
  test('receives the address, and the request where the page has one', async () => {
    const seen: DocumentContext[] = []
    const Site = withInitialProps((context) => {
      seen.push(context)
      return context.renderPage()
    })
    const client = { req: { headers: { a: '1' } }, res: { writableEnded: false } }
    await htmlOf(Site, { input: { client: () => client } })
    await htmlOf(Site, { input: { hydration: { ...hydration, status: 500, digest: 'd' } } })
    const address = { pathname: '/posts/[slug]', query: { tab: '1', slug: 'a' }, asPath: '/posts/a?tab=1' }
    expect(seen[0]).toMatchObject({ ...address, ...client })
    expect([seen[0]?.err, seen[1]?.req, seen[1]?.err?.statusCode]).toEqual([undefined, undefined, 500])
  })

  test('renderPage puts its functions around the app and the page', async () => {
    const around = (note: string) => (Inner: ComponentType<object>) => (props: object) => (
      <Note value={note}>{<Inner {...props} />}</Note>
    )
    const both = { enhanceApp: around('app'), enhanceComponent: (Inner: ComponentType) => () => <b>{<Inner />}</b> }
    expect(await htmlOf(withInitialProps(({ renderPage }) => renderPage(both as never)))).toContain(
      '<div id="__next"><b><main>undefined app</main></b></div>',
    )
    expect(await htmlOf(withInitialProps(({ renderPage }) => renderPage(around('page') as never)))).toContain(
      '<div id="__next"><main>Ada page</main></div>',
    )
  })

  test('its html, head, styles and own props are in the document; the elements of libraries are not escaped', async () => {
    class Site extends Document<{ own: string }> {
      static override async getInitialProps(context: DocumentContext) {
        const { renderPage } = context
        context.renderPage = () => renderPage({ enhanceApp: (Inner) => (props) => <Inner {...props} /> })
        const page = await Document.getInitialProps(context)
        const style = <style key="a" dangerouslySetInnerHTML={{ __html: 'a>b{color:red}' }} />
        const html = page.html.replace('Ada', 'Eve')
        const head = [...page.head!, <meta key="own" name="own" content="yes" />]
        return { html, head, styles: [page.styles, style], own: '"<' }
      }
      override render() {
        return <Parts data-own={this.props.own} head={<link rel="icon" href="/i.svg" />} />
      }
    }
    const html = await htmlOf(Site)
    expect(html).toMatch(/^<!DOCTYPE html><html data-own="&quot;&lt;"><head>.*<title data-next-head="">Page<\/title>/)
    expect(html).toContain('<meta name="own" content="yes"/>')
    expect(html).toContain('<link rel="icon" href="/i.svg"/>')
    expect(html).toContain('<style>a>b{color:red}</style></head>')
    expect(html).toContain('<main>Eve none</main>')
    expect(html).toContain('start-z.js')
  })

  test('SECURITY: its nonce is that of the scripts, where the policy has none, and must be base64', async () => {
    const Site = (nonce: string) => withInitialProps(async ({ renderPage }) => ({ ...(await renderPage()), nonce }))
    expect(await htmlOf(Site('abc+/-_='))).toContain('<script type="module" async nonce="abc+/-_="')
    const nonce = { read: () => 'own', value: 'own' }
    expect(await htmlOf(Site('abc'), { input: { nonce } })).toContain('<script type="module" async nonce="own"')
    await expect(htmlOf(Site('"><script>'))).rejects.toThrow('a nonce must be base64')
  })

  test('G6 inline scripts of such a document are allowed by their hashes', async () => {
    const script = <script dangerouslySetInnerHTML={{ __html: 'early = 1' }} />
    const Site = withInitialProps(
      async ({ renderPage }) => ({ ...(await renderPage()), styles: script }),
      () => <Parts />,
    )
    expect((await resultOf(Site)).scriptHashes).toEqual([expect.stringMatching(/^'sha256-/)])
  })

  test('a result without html, and a page that throws, are errors', async () => {
    await expect(htmlOf(withInitialProps(() => ({})))).rejects.toThrow('must return an object with the string html')
    const Throws = () => {
      throw new Error('of the page')
    }
    const Site = withInitialProps((context) => context.renderPage())
    await expect(htmlOf(Site, { Page: Throws })).rejects.toThrow('of the page')
  })

  test('a part of the page that failed makes the document incomplete', async () => {
    const Fails = () => <Fragment>{typeof window === 'undefined' ? fail() : null}</Fragment>
    const fail = () => {
      throw new Error('part')
    }
    const Parted = () => (
      <Suspense>
        <Fails />
      </Suspense>
    )
    const Site = withInitialProps((context) => context.renderPage())
    expect(await resultOf(Site, { Page: Parted })).toMatchObject({ kind: 'html', incomplete: true })
  })

  test('a response that it has written has no document', async () => {
    const res = { writableEnded: false }
    const Site = withInitialProps(() => {
      res.writableEnded = true
    })
    const client = () => ({ req: {}, res })
    expect(await resultOf(Site, { input: { client } })).toMatchObject({ kind: 'html', html: '' })
  })

  test('it ends with the request, and after the time limit', async () => {
    vi.useFakeTimers()
    const Site = withInitialProps(() => new Promise(() => {}))
    const controller = new AbortController()
    const left = resultOf(Site, { input: { signal: controller.signal } })
    controller.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    const late = expect(resultOf(Site)).rejects.toThrow('took longer than')
    await vi.advanceTimersByTimeAsync(DATA_FUNCTION_TIMEOUT_MS)
    await late
  })
})
