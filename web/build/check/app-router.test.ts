// The routes of an App Router in the report of `portico check`.

import { afterEach, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { readAppRoutes } from './app-router.ts'
import { checkFolder } from './check.ts'
import { reportText } from './report.ts'

afterEach(removeFolders)

const PAGE = 'export default () => null\n'
const routesOf = async (files: Record<string, string>) => readAppRoutes(await createFolder(files))

describe('K1 each file of an App Router is listed with its place among pages', () => {
  test.each([
    ['app/page.tsx', 'pages/index.tsx'],
    ['app/(shop)/items/[id]/page.jsx', 'pages/items/[id].jsx'],
    ['src/app/docs/[[...path]]/page.ts', 'pages/docs/[[...path]].ts'],
    ['app/api/notes/route.ts', 'pages/api/notes.ts'],
    ['app/feed.xml/route.ts', 'pages/api/feed.xml.ts'],
    ['app/layout.tsx', 'pages/_app.tsx and pages/_document.tsx'],
    ['app/items/layout.tsx', 'a component'],
    ['app/not-found.tsx', 'pages/404.tsx'],
    ['app/global-error.tsx', 'pages/500.tsx'],
    ['app/items/error.tsx', 'pages/_error.tsx'],
    ['app/items/loading.tsx', undefined],
    ['app/posts/page.mdx', 'pages/posts.mdx'],
    ['app/global-not-found.tsx', 'pages/404.tsx'],
    ['app/forbidden.tsx', undefined],
    ['app/robots.ts', 'pages/api/robots.ts'],
    ['src/app/(shop)/items/sitemap.ts', 'pages/api/items/sitemap.ts'],
    ['app/items/opengraph-image.tsx', 'pages/api/items/opengraph-image.tsx'],
    ['app/items/opengraph-image.png', 'public/items/opengraph-image.png'],
    ['app/favicon.ico', 'public/favicon.ico'],
    ['app/manifest.webmanifest', 'public/manifest.webmanifest'],
  ])('%s: %s', async (file, becomes) => {
    expect((await routesOf({ [file]: PAGE })).map((route) => [route.file, route.becomes])).toEqual([[file, becomes]])
  })

  test('files that make no route are left out', async () => {
    const files = {
      'app/button.tsx': PAGE,
      'app/photo.png': '',
      'app/styles.css': '',
      'app/_parts/page.tsx': PAGE,
      'app/node_modules/a/page.js': PAGE,
    }
    expect(await routesOf(files)).toEqual([])
  })
})

describe('K1 what its code uses is listed with what takes its place', () => {
  test.each([
    [
      'async component',
      'export default async function Page() {}',
      ['an async component: its data becomes getServerSideProps or getStaticProps'],
    ],
    [
      'async component by name',
      'const Page = async () => null\nexport default Page',
      ['an async component: its data becomes getServerSideProps or getStaticProps'],
    ],
    [
      'static params and metadata',
      'export const metadata = {}\nexport async function generateStaticParams() {}\nexport default async function Page() {}',
      [
        'an async component: its data becomes getStaticProps',
        'generateStaticParams: getStaticPaths',
        'metadata: <title>, <meta> and <link> in the page',
      ],
    ],
    [
      'modules',
      "import { cookies } from 'next/headers'\nimport type { A } from 'next/cache'\nexport default () => cookies",
      ['next/headers: cookies() and headers() of portico/server, or req of getServerSideProps'],
    ],
    [
      'an action inside of a component',
      "export default function Page() {\n  async function save() {\n    'use server'\n  }\n  return save\n}",
      ["'use server' inside of a function: move the function to a module that begins with the directive"],
    ],
    [
      'a cached component',
      "export default async function Page() {\n  'use cache'\n}",
      [
        "'use cache': cached of portico/server for data, getStaticProps with revalidate for a page",
        'an async component: its data becomes getServerSideProps or getStaticProps',
      ],
    ],
    ['nothing', `'use client'\n${PAGE}`, []],
  ])('%s', async (_name, code, needs) => {
    expect((await routesOf({ 'app/a/page.tsx': code }))[0]?.needs).toEqual(needs)
  })

  test('files of metadata have an address of their own, or an element of the head', async () => {
    const routes = await routesOf({ 'app/sitemap.ts': PAGE, 'app/icon.svg': '', 'app/robots.txt': '' })
    expect(routes.map(({ needs }) => needs)).toEqual([
      ['<link rel="icon"> in the pages, or in pages/_app'],
      [],
      ['its address is /sitemap.xml: a rewrite leads from it to the handler, or a file in public/ takes its place'],
    ])
  })

  test('folders that pages do not have are named', async () => {
    const [slot, intercepted] = await routesOf({ 'app/@side/page.tsx': PAGE, 'app/feed/(..)photo/page.tsx': PAGE })
    expect([slot?.needs, intercepted?.needs]).toEqual([
      ['a slot: the page renders its parts itself'],
      ['an intercepting route: a link with href and as, or a query of the page below'],
    ])
  })
})

test('K1 an app with nothing but src/app gets its routes in the report, in 80 columns', async () => {
  const report = await checkFolder(
    await createFolder({
      'next.config.js': 'module.exports = {}',
      'src/app/page.tsx': 'export default async () => null',
    }),
  )
  const text = reportText(report)
  expect(text).toContain(
    '\nApp Router: not served; what each file would be\n  src/app/page.tsx → pages/index.tsx\n      an async component: its data becomes getServerSideProps or getStaticProps\n',
  )
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})
