import { symlink } from 'node:fs/promises'
import { RouteConflictError } from '@portico/shared/wire/routing/route-conflicts.ts'
import { afterEach, describe, expect, it, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { otherMode } from '../testing/other-mode.ts'
import { readAppFolder } from './folder.ts'

const PAGE = 'export default () => null'
afterEach(removeFolders)

const appOf = (...files: (string | [name: string, text: string])[]) =>
  createFolder(Object.fromEntries(files.map((file) => (typeof file === 'string' ? [file, PAGE] : file))))

const patternsOf = async (...files: string[]) =>
  Object.fromEntries((await readAppFolder(await appOf(...files))).pages.map(({ pattern, file }) => [pattern, file]))

test('O1 the folder of an app folder that a symbolic link names is the folder itself', async () => {
  const dir = await appOf('pages/index.tsx')
  await symlink(dir, `${dir}-current`)
  expect((await readAppFolder(`${dir}-current`)).dir).toBe(dir)
})

describe('routes', () => {
  it('R1 files and folders are routes', async () => {
    const files = [
      'pages/index.tsx',
      'pages/about.jsx',
      'pages/docs/index.ts',
      'pages/docs/[...rest].js',
      'pages/places/[slug]/index.tsx',
      'pages/places/[slug]/edit.tsx',
      'pages/shop/[[...path]].tsx',
      'pages/index/index.tsx',
      'pages/public/index.tsx',
      'pages/dist.tsx',
      'pages/a/dist/b.tsx',
      'pages/apiary.tsx',
    ]
    expect(await patternsOf(...files)).toEqual({
      '/': 'pages/index.tsx',
      '/about': 'pages/about.jsx',
      '/docs': 'pages/docs/index.ts',
      '/docs/[...rest]': 'pages/docs/[...rest].js',
      '/places/[slug]': 'pages/places/[slug]/index.tsx',
      '/places/[slug]/edit': 'pages/places/[slug]/edit.tsx',
      '/shop/[[...path]]': 'pages/shop/[[...path]].tsx',
      '/index': 'pages/index/index.tsx',
      '/public': 'pages/public/index.tsx',
      '/dist': 'pages/dist.tsx',
      '/a/dist/b': 'pages/a/dist/b.tsx',
      '/apiary': 'pages/apiary.tsx',
    })
  })

  it('R1 tests, types, styles and other folders are not routes', async () => {
    const files = ['pages/index.tsx', 'pages/index.test.tsx', 'pages/page.d.ts', 'pages/page.module.css', 'pages/a.md']
    const others = ['dist/pages/x.tsx', 'public/x.js', '.portico/x.js', 'node_modules/x/pages/y.js', 'lib/x.ts']
    expect(await patternsOf(...files, ...others)).toEqual({ '/': 'pages/index.tsx' })
  })

  it('R5 screens, _app, _document and API handlers are not pages', async () => {
    const folder = await readAppFolder(
      await appOf(
        'pages/index.tsx',
        'pages/_app/index.tsx',
        'pages/_document.jsx',
        'pages/_error.tsx',
        'pages/404.tsx',
        'pages/500/index.tsx',
        'pages/docs/404.tsx',
        'pages/api/index.ts',
        'pages/api/notes/[id].ts',
        'portico.config.mjs',
      ),
    )
    expect(folder).toMatchObject({
      app: 'pages/_app/index.tsx',
      document: 'pages/_document.jsx',
      configFile: 'portico.config.mjs',
      apiRoutes: [
        { pattern: '/api/notes/[id]', file: 'pages/api/notes/[id].ts' },
        { pattern: '/api', file: 'pages/api/index.ts' },
      ].toSorted((left, right) => (left.file < right.file ? -1 : 1)),
    })
    expect(folder.screens.map(({ pattern }) => pattern).sort()).toEqual(['/404', '/500', '/_error'])
    expect(folder.pages.map(({ pattern }) => pattern).sort()).toEqual(['/', '/docs/404'])
  })
})

describe('refusals', () => {
  it.each([
    ['pages/about.tsx', 'pages/about/index.tsx'],
    ['pages/about.tsx', 'pages/about.js'],
    ['pages/[id].tsx', 'pages/[slug]/edit.tsx'],
    ['pages/docs/index.tsx', 'pages/docs/[[...path]].tsx'],
    ['pages/docs.tsx', 'pages/docs/[[...path]].tsx'],
    ['pages/api/a.ts', 'pages/api/a/index.ts'],
    ['pages/404.tsx', 'pages/404.jsx'],
    ['pages/_app.tsx', 'pages/_app/index.jsx'],
    ['pages/_document.tsx', 'pages/_document.js'],
  ])('R4 %s together with %s is refused, naming both', async (first, second) => {
    const error: unknown = await readAppFolder(await appOf('pages/index.tsx', first, second)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(RouteConflictError)
    expect(String(error)).toContain(first)
    expect(String(error)).toContain(second)
  })

  it.each([['pages/[...rest]/x.tsx'], ['pages/[id]/[id].tsx'], ['pages/a[b].tsx']])(
    'R4 %s is refused by name',
    async (file) => {
      await expect(readAppFolder(await appOf(file))).rejects.toThrow(file)
    },
  )

  it('X15 middleware is read with its matchers; a second file is refused', async () => {
    const code = "export function middleware() {}\nexport const config = { matcher: '/a' }"
    const files: [string, string] = ['middleware.ts', code]
    const { middleware } = await readAppFolder(await appOf('pages/index.tsx', files))
    expect(middleware).toEqual({ file: 'middleware.ts', name: 'middleware', matchers: [{ source: '/a' }] })
    const next = otherMode(['ts', 'tsx', 'js'])
    const both = readAppFolder(await appOf('pages/index.tsx', files, 'proxy.js'), { next })
    await expect(both).rejects.toThrow('proxy.js and middleware.ts: only one of these files is allowed')
  })

  it('F2 a file with that name in another folder is an ordinary file', async () => {
    const app = await appOf('pages/index.tsx', 'lib/middleware.ts', 'lib/proxy.ts', 'pages/middleware.tsx')
    expect((await readAppFolder(app)).pages).toHaveLength(2)
  })

  it.each([
    ['function Page() { return null }\nPage.getInitialProps = async () => ({})\nexport default Page', '2:6'],
    ['export default class extends Component { static async getInitialProps() { return {} } }', '1:55'],
    ['export default class extends Component { static getInitialProps = () => ({}) }', '1:49'],
  ])('F2 getInitialProps is refused with what replaces it: %s', async (code, place) => {
    const message = `pages/_app.tsx:${place}: getInitialProps is not supported; use getServerSideProps or getStaticProps`
    await expect(readAppFolder(await appOf('pages/index.tsx', ['pages/_app.tsx', code]))).rejects.toThrow(message)
  })

  it('F2 a page may contain getInitialProps in text and comments', async () => {
    const code =
      "// unlike getInitialProps\nexport default () => <p title='getInitialProps'>getInitialProps is gone</p>"
    expect((await readAppFolder(await appOf(['pages/index.tsx', code]))).pages).toHaveLength(1)
  })

  it('F1 a folder without pages is refused by name', async () => {
    const empty = await appOf('lib/x.ts')
    await expect(readAppFolder(empty)).rejects.toThrow(`APP_DIR="${empty}": must be a folder that contains pages/`)
    await expect(readAppFolder(await appOf('src/pages/x.ts'))).rejects.toThrow('move src/pages to pages/')
    await expect(readAppFolder(await appOf('src/app/page.tsx'))).rejects.toThrow(
      'src/app/ has routes of the App Router, which are not served: portico check lists the file in pages/',
    )
    await expect(readAppFolder(await appOf('pages/api/x.ts'))).rejects.toThrow('must contain at least one page')
  })
})

describe('compatibility mode', () => {
  it('X6 an app may have API handlers only', async () => {
    const next = otherMode(['ts'])
    expect(await readAppFolder(await appOf('pages/api/x.ts'), { next })).toMatchObject({ pages: [] })
    await expect(readAppFolder(await appOf('pages/x.css'), { next })).rejects.toThrow('at least one page')
  })

  it('X10 X11 getInitialProps is accepted in every page', async () => {
    const next = otherMode(['tsx'])
    const code =
      'const E = () => null\nE.getInitialProps = ({ res }) => ({ statusCode: res.statusCode })\nexport default E'
    const files = ['index', '_app', '_error', '_document'].map((name) => `pages/${name}.tsx`)
    const accepted = await appOf(...files.map((file): [string, string] => [file, code]))
    const folder = await readAppFolder(accepted, { next })
    expect(folder.screens).toEqual([{ pattern: '/_error', file: 'pages/_error.tsx' }])
    for (const file of files.slice(1))
      await expect(readAppFolder(await appOf('pages/index.tsx', [file, code]))).rejects.toThrow(
        'getInitialProps is not supported',
      )
  })

  it('X6 pages are in src/pages if there is no pages/, and have the endings of the configuration', async () => {
    const files = [
      'src/pages/index.page.tsx',
      'src/pages/a/helper.tsx',
      'src/pages/a/[id].page.tsx',
      'src/lib/pages/b.page.tsx',
    ]
    const screens = [
      'src/pages/_app.page.tsx',
      'src/pages/404.page.tsx',
      'src/pages/api/c.api.ts',
      'src/pages/d.api.css',
    ]
    const next = otherMode(['page.tsx', 'api.ts', 'css'])
    const folder = await readAppFolder(await appOf(...files, ...screens), { next })
    expect(folder).toMatchObject({
      pages: [
        { pattern: '/a/[id]', file: 'src/pages/a/[id].page.tsx' },
        { pattern: '/', file: 'src/pages/index.page.tsx' },
      ],
      app: 'src/pages/_app.page.tsx',
      screens: [{ pattern: '/404', file: 'src/pages/404.page.tsx' }],
      apiRoutes: [{ pattern: '/api/c', file: 'src/pages/api/c.api.ts' }],
    })
    const both = await readAppFolder(await appOf('pages/x.tsx', 'src/pages/y.tsx'), {
      next: { ...next, pageExtensions: ['tsx'] },
    })
    expect(both.pages.map(({ pattern }) => pattern)).toEqual(['/x'])
  })
})
