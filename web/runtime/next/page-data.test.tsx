// The data element of a site of Next.js: what libraries and the browser side read (X2).

import type { DataKind } from '@portico/shared/wire/build-output.ts'
import type { DeferredProps } from '@portico/shared/wire/bundles.ts'
import { hydrationOf, type NextData, nextProps } from '@portico/shared/wire/next/next-data.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DefaultDocument } from '../react/document-parts.tsx'
import { createTemplate } from '../server/document.tsx'
import { renderPage } from '../server/render.tsx'
import { createFrame } from './server-frame.tsx'

const template = createTemplate(DefaultDocument)
const files = { module: 'page.js', imports: [], styles: [] }
const BASE: HydrationData = {
  buildId: 'b1',
  basePath: '/base',
  trailingSlash: false,
  route: '/posts/[id]',
  params: { id: 'a' },
  props: { text: 'x' },
  url: '/base/posts/a?q=1&q=2',
  status: 200,
  files,
  publicEnv: { NAME: 'n' },
  isReady: true,
}

async function elementOf(kind: DataKind, given: Partial<HydrationData> = {}, deferred?: DeferredProps) {
  const hydration = { ...BASE, files: { ...files }, ...given }
  const result = await renderPage(
    <p />,
    template,
    {
      route: hydration.route,
      hydration,
      deferred,
      entry: files,
      onError: () => 'digest',
      signal: new AbortController().signal,
      whole: true,
    },
    createFrame(kind),
  )
  if (result.kind !== 'html') throw new Error(result.kind)
  const texts = [...result.html.matchAll(/<script id="__NEXT_DATA__" type="application\/json">([\s\S]*?)<\/script>/g)]
  expect(texts).toHaveLength(1)
  expect(result.html).not.toContain('__PORTICO_DATA__')
  const text = texts[0]![1]!
  return { text, data: JSON.parse(text) as NextData, hydration }
}

const own = { portico: expect.objectContaining({ route: '/posts/[id]', basePath: '/base', publicEnv: { NAME: 'n' } }) }

test.each<[string, DataKind, Partial<HydrationData>, Omit<NextData, 'portico'>]>([
  [
    'getServerSideProps',
    'server',
    {},
    {
      props: { pageProps: { text: 'x' }, __N_SSP: true },
      page: '/posts/[id]',
      query: { q: ['1', '2'], id: 'a' },
      buildId: 'b1',
      isFallback: false,
      gssp: true,
    },
  ],
  [
    'getStaticProps',
    'static',
    { isReady: false, url: '/base/posts/a' },
    {
      props: { pageProps: { text: 'x' }, __N_SSG: true },
      page: '/posts/[id]',
      query: { id: 'a' },
      buildId: 'b1',
      isFallback: false,
      gsp: true,
    },
  ],
  [
    'getStaticPaths with fallback: true, before the data is known',
    'static',
    { isReady: false, isFallback: true, props: {} },
    {
      props: { pageProps: {}, __N_SSG: true },
      page: '/posts/[id]',
      query: {},
      buildId: 'b1',
      isFallback: true,
      gsp: true,
    },
  ],
  [
    'no data function',
    'none',
    { isReady: false, params: {}, props: {} },
    {
      props: { pageProps: {} },
      page: '/posts/[id]',
      query: {},
      buildId: 'b1',
      nextExport: true,
      autoExport: true,
      isFallback: false,
    },
  ],
])(
  'X2 a page with %s has the members of Next.js, the props once, and our own data',
  async (_title, kind, given, wanted) => {
    const { data, text, hydration } = await elementOf(kind, given)
    expect(data).toEqual({ ...wanted, ...own })
    expect(hydrationOf(data)).toEqual(JSON.parse(JSON.stringify(hydration)))
    expect(data.portico).not.toHaveProperty('props')
    expect(text.match(/"text"/g)?.length ?? 0).toBe(Object.keys(hydration.props).length)
  },
)

test.each<[DataKind, Record<string, unknown>]>([
  ['static', { text: 'x' }],
  ['static', {}],
  ['server', { text: 'x' }],
])('X13 the mark of draft mode is beside the props of Next.js, and among ours (%s, %j)', async (kind, pageProps) => {
  const { data, hydration } = await elementOf(kind, { props: { ...pageProps, __N_PREVIEW: true } })
  expect(data).toMatchObject({ isPreview: true, props: { __N_PREVIEW: true } })
  expect(data.props.pageProps).toEqual(pageProps)
  expect(hydrationOf(data).props).toEqual(hydration.props)
  expect(nextProps(hydration.props, kind)).toEqual(data.props)
})

test('X2 D7 values of any kind read back as they were, and cannot end the element', async () => {
  const ending = fc.constantFrom('</script>', '<!--', '\u2028', '\u2029', '<script')
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), ending, async (value, end) => {
      const query = `?${encodeURIComponent(end)}=${encodeURIComponent(end)}`
      const given = { props: { value, [end]: end }, params: { id: end }, url: `/base/posts/x${query}`, digest: end }
      const { text, data, hydration } = await elementOf('server', given)
      expect(text).not.toMatch(/[<\u2028\u2029]/)
      expect(hydrationOf(data)).toEqual(JSON.parse(JSON.stringify(hydration)))
      expect(data.query).toEqual({ [end]: end, id: end })
    }),
    { numRuns: 50 },
  )
})

test('X2 W2 promises in props have their placeholders in the props, and their lines in our own data', async () => {
  const deferred = {
    json: '{"later":{"$deferred":0},"end":"</script>"}',
    follow: async (onLine: (line: string) => void) => onLine('{"n":0,"value":"</script>"}'),
  }
  const { data, text } = await elementOf('server', { props: { later: Promise.resolve() } }, deferred)
  expect(text).not.toContain('<')
  expect(data.props).toEqual({ pageProps: { later: { $deferred: 0 }, end: '</script>' }, __N_SSP: true })
  expect(data.portico.deferred).toEqual([{ n: 0, value: '</script>' }])
})
