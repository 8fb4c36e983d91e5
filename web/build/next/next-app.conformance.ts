// A small app of Next.js, built as it is: pages in src/, its own endings, paths of jsconfig.json, values of the environment,
// PostCSS plugins by name.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { filesOf, runBuild } from '../testing/small-app.ts'

const POLICY = "default-src 'self'"
const APP = {
  'package.json': '{ "name": "shop", "dependencies": { "next": "14.2.0", "react": "^18.2.0" } }',
  'next.config.js': `const { PHASE_PRODUCTION_BUILD } = require('next/constants')
const withMDX = require('@next/mdx')()
module.exports = async (phase) => withMDX({
  basePath: process.env.NEXT_PUBLIC_BASE,
  env: { PHASE: phase === PHASE_PRODUCTION_BUILD ? 'phase-of-build' : 'other' },
  pageExtensions: ['page.tsx', 'api.js', 'mdx'],
  swcMinify: true,
  productionBrowserSourceMaps: true,
  turbopack: { rules: {
    '*.css': { loaders: ['@tailwindcss/turbopack'], as: '*.css' },
    '*.svg': { loaders: [{ loader: './loaders/icon.js', options: { before: 'icon-' } }], as: '*.jsx' },
    '*.txt': { loaders: ['./loaders/text.js'], condition: { not: 'foreign' }, as: '*.js' },
    '*': { loaders: ['./loaders/data.js'], condition: { all: [{ path: /\\.page\\.TSX$/i }, { content: /needs data/ }] } },
  } },
  i18n: { locales: ['en'], defaultLocale: 'en' },
  compiler: { removeConsole: { exclude: ['error'] }, emotion: true },
  async redirects() { return [{ source: '/old', destination: '/', permanent: true }] },
  async headers() { return [{ source: '/', headers: [{ key: 'Content-Security-Policy', value: "${POLICY}" }] }] },
})`,
  '.env':
    'NEXT_PUBLIC_BASE=/shop\nNEXT_PUBLIC_URL=https://$HOST_OF_API/v1\nHOST_OF_API=api.example\nSECRET=sesame-of-env\n',
  'jsconfig.json': '{ "compilerOptions": { "baseUrl": "src", "paths": { "@/*": ["./*"] } } }',
  'postcss.config.js': "module.exports = { plugins: [['mark-rules', { name: 'marked' }]] }",
  'node_modules/mark-rules/package.json': '{ "main": "index.js" }',
  'node_modules/mark-rules/index.js': `module.exports = ({ name }) => ({
  postcssPlugin: 'mark-rules',
  OnceExit(root, { Declaration }) { root.walkRules((rule) => { rule.append(new Declaration({ prop: '--' + name, value: '1' })) }) },
})`,
  'node_modules/@tailwindcss/turbopack/package.json': '{ "main": "index.js" }',
  'node_modules/@tailwindcss/turbopack/index.js': `const { basename, join } = require('node:path')
module.exports = async function (code) {
  const done = this.async()
  this.addDependency(join(this.getOptions().base, 'posts/one.txt'))
  done(null, code + '\\n.of-the-loader { --file: ' + basename(this.resourcePath) + ' }')
}`,
  'loaders/icon.js': `const { basename } = require('node:path')
module.exports = function () {
  return 'export default () => <i>' + this.getOptions().before + basename(this.resourcePath) + '</i>'
}`,
  'loaders/text.js': "module.exports = (text) => 'module.exports = ' + JSON.stringify('loaded-' + text)",
  'loaders/data.js': `module.exports = (code) => code +
  'export const getStaticProps = async () => ({ props: { text: (await import(\`../notes/\${["a"][0]}.txt\`)).default } })'`,
  'src/icon.svg': '<svg/>',
  'src/notes/a.txt': 'note',
  'src/pages/loaded.page.tsx': `// needs data
import Icon from '../icon.svg'
export default function Loaded({ text }) { return <p><Icon />{text}</p> }
`,
  'node_modules/@emotion/react/package.json': '{ "exports": { "./jsx-runtime": "./jsx-runtime.js" } }',
  'node_modules/@emotion/react/jsx-runtime.js': `import { Fragment, jsx as react, jsxs as reacts } from 'react/jsx-runtime'
const marked = (make) => (type, props, key) => make(type, { ...props, 'data-made-by': 'emotion-jsx' }, key)
export const jsx = marked(react)
export const jsxs = marked(reacts)
export { Fragment }`,
  'node_modules/@mdx-js/mdx/package.json': '{ "type": "module", "exports": "./index.js" }',
  'node_modules/@mdx-js/mdx/index.js': `export const compile = ({ value }, { providerImportSource }) =>
  'import { jsx } from "react/jsx-runtime"; import { useMDXComponents } from "' + providerImportSource + '";' +
  value.replace('# Text', 'export default function MDXContent() { return jsx(useMDXComponents().h1, { children: "text-of-mdx" }) }')`,
  'src/mdx-components.tsx': 'export const useMDXComponents = () => ({ h1: () => <h1>heading-of-mdx</h1> })',
  'src/pages/story.mdx': `import { rows } from '@/server/rows'

export const getServerSideProps = () => ({ props: { rows } })

# Text`,
  'src/styles.css': 'body { color: red }',
  'src/server/rows.ts': `import { readFileSync } from 'node:fs'
export interface Row { name: string }
export const rows: Row[] = [{ name: 'sesame-of-rows' + readFileSync('/dev/null', 'utf8') }]`,
  'src/server/plain.js': "export const plain = 'plain-text'",
  'src/components/list.tsx': `import { type Row } from 'server/rows'
import { basename } from 'path'
export { type Row as Again } from '@/server/rows'
console.log('dropped-line')
console.error('kept-line', basename('a/b'), process.browser ? 'in-a-browser' : 'on-a-server', global.name)
globalThis.bytes = typeof Buffer === 'function' && Buffer.from('a')
export const List = ({ rows }: { rows: Row[] }) => <ul>{rows.map(({ name }) => <li key={name}>{name}</li>)}</ul>`,
  'src/pages/_app.page.tsx': `import '@/styles.css'
export default function App({ Component, pageProps }) { return <Component {...pageProps} /> }`,
  'src/pages/_document.page.tsx': `import Document, { Head, Html, Main, NextScript } from 'next/document'
export default class SiteDocument extends Document<{ words: number }> {
  static async getInitialProps(context) {
    const { renderPage } = context
    context.renderPage = () => renderPage({ enhanceApp: (App) => (props) => <section><App {...props} /></section> })
    const page = await Document.getInitialProps(context)
    return { ...page, styles: [page.styles, <style key="a">{'.own{}'}</style>], words: page.html.split('text-of-a-post').length }
  }
  render() {
    const { words, __NEXT_DATA__ } = this.props
    return <Html data-words={words} data-page={__NEXT_DATA__.page}><Head /><body><Main /><NextScript /></body></Html>
  }
}`,
  'src/pages/index.page.tsx': `import { List } from 'components/list'
import { type Row, rows } from '@/server/rows'
import { plain } from 'server/plain'
export const config = { runtime: 'experimental-edge' }
export const getServerSideProps = () => ({ props: { rows } })
export default function Home(props: { rows: Row[] }) {
  return <main>{plain}{process.env.NEXT_PUBLIC_URL}{process.env.PHASE}{String(process.env.SECRET)}<List {...props} /></main>
}`,
  'posts/one.txt': 'text-of-a-post',
  'src/pages/posts/[id].page.tsx': `import fs from 'node:fs'
import path from 'node:path'
const folder = path.join(process.cwd(), 'posts')
export const getStaticPaths = ({ locales }) =>
  ({ paths: fs.readdirSync(folder).map((name) => ({ params: { id: name.slice(0, -4) } })), fallback: !!locales })
export const getStaticProps = ({ params }) => ({ props: { text: fs.readFileSync(path.join(folder, params.id + '.txt'), 'utf8') } })
export default function Post({ text }: { text: string }) { return <p>{text}</p> }`,
  'src/components/with-initial.tsx': `export const withInitial = (Page) => {
  const WithInitial = (props) => <Page {...props} />
  return Object.assign(WithInitial, { getInitialProps: () => ({ of: 'with-initial' }) })
}`,
  'src/pages/around.page.tsx': `import { withInitial } from 'components/with-initial'
export default withInitial((props) => <p>{props.of}</p>)`,
  'src/pages/helper.ts': 'export const helper = 1',
  'src/pages/api/url.api.js': 'export default (req, res) => res.json({ url: process.env.NEXT_PUBLIC_URL })',
}

let dir: string
let output: string
let code: number | null
let manifest: Manifest

beforeAll(async () => {
  dir = await createFolder({
    ...APP,
    'tsconfig.json':
      '{ "compilerOptions": { "verbatimModuleSyntax": true, "baseUrl": "src", "paths": { "@/*": ["./*"] } } }',
  })
  ;({ code, output } = await runBuild(dir))
  if (code === 0) manifest = JSON.parse(await readFile(join(dir, 'dist/manifest.json'), 'utf8')) as Manifest
})
afterAll(removeFolders)

const textOf = async (folder: string, ending: RegExp) => {
  const files = (await filesOf(join(dir, 'dist', folder))).filter((file) => ending.test(file))
  return (await Promise.all(files.map((file) => readFile(join(dir, 'dist', folder, file), 'utf8')))).join('\n')
}

it('X4 X6 builds the pages of src/pages, prints the report, and writes into .portico and dist only', async () => {
  expect({ code, output }).toMatchObject({ code: 0 })
  expect(manifest).toMatchObject({
    basePath: '/shop',
    pages: [
      // A function around the page adds getInitialProps.
      { pattern: '/around', file: 'src/pages/around.page.tsx', data: 'initial', methods: 'all' },
      { pattern: '/', file: 'src/pages/index.page.tsx', data: 'server', methods: 'all' },
      // It takes forms, which it does not read.
      { pattern: '/loaded', data: 'static', methods: 'form', crossOrigin: true },
      { pattern: '/posts/[id]', data: 'static' },
      { pattern: '/story', file: 'src/pages/story.mdx', data: 'server', methods: 'all' },
    ],
    apiRoutes: [{ pattern: '/api/url', file: 'src/pages/api/url.api.js' }],
    redirects: [{ source: '/old', status: 308 }],
  })
  for (const line of [
    'read .env, next.config.js, package.json',
    'mapped: NEXT_PUBLIC_BASE, NEXT_PUBLIC_URL: read at start',
    'mapped: react ^18.2.0: runs on React 19',
    'mapped: src/pages/api/: requests of other sites that may change data',
    'mapped: getServerSideProps: reads forms; requests of other sites',
    'ignored: swcMinify: ',
    'ignored: src/pages/index.page.tsx: config.runtime: runs on Node',
    'src/components/list.tsx: imports path, a module of Node: browsers get the package path-browserify',
    'Warning: src/pages/index.page.tsx: reads process.env.SECRET, which is undefined in the browser',
  ])
    expect(output).toContain(line)
  expect(output).not.toContain('does not extend')
  const names = new Set([...Object.keys(APP).map((name) => name.split('/')[0]), 'tsconfig.json', '.portico', 'dist'])
  expect(new Set(await readdir(dir))).toEqual(names)
})

it('X4 E4 productionBrowserSourceMaps: each script names its map, which is next to it and is served', async () => {
  expect(output).toContain('mapped: productionBrowserSourceMaps: every client can read the sources')
  const names = Object.keys(manifest.staticFiles)
  // The bundler's own code has no source.
  const scripts = names.filter((name) => name.endsWith('.js') && !name.startsWith('rolldown-runtime'))
  expect(names.filter((name) => name.endsWith('.map')).sort()).toEqual(scripts.map((name) => `${name}.map`).sort())
  for (const name of scripts)
    expect(await readFile(join(dir, 'dist/client/static', name), 'utf8')).toMatch(
      new RegExp(`//# sourceMappingURL=${RegExp.escape(name)}\\.map\\s*$`),
    )
  expect(await filesOf(join(dir, '.portico'))).not.toContainEqual(expect.stringContaining('.map'))
})

it('X6 inlines env of the config in every bundle and reads NEXT_PUBLIC_ variables at start, and keeps server code and its strings out of the browser', async () => {
  const [browser, server, actions] = await Promise.all(
    ['client', 'server', 'actions'].map((name) => textOf(name, /\.js$/)),
  )
  for (const text of [browser, server, actions]) expect(text).not.toContain('https://api.example/v1')
  expect(manifest.codeEnv).toEqual({ NEXT_PUBLIC_URL: { default: 'https://api.example/v1', browser: true } })
  // JSX of compiler.emotion is that of the site's own modules: the framework's start needs no package of the site.
  for (const text of ['phase-of-build', 'plain-text', 'kept-line', 'text-of-mdx', 'heading-of-mdx']) {
    expect(browser).toContain(text)
    expect(server).toContain(text)
  }
  expect(browser).toContain('emotion-jsx')
  // Node loads the package.
  expect(server).toContain('from "@emotion/react/jsx-runtime"')
  expect(server).toContain('sesame-of-rows')
  // The copy of the package that browsers get, once: data functions that use the module are removed.
  expect(browser?.match(/Path must be a string/g)).toHaveLength(1)
  // Globals of Node are those of packages, once; on the server they are Node's.
  for (const text of ['process.chdir is not supported', 'Attempt to allocate Buffer larger']) {
    expect(browser?.split(text)).toHaveLength(2)
    expect(server).not.toContain(text)
  }
  expect(browser).toContain('in-a-browser')
  expect(browser).not.toContain('on-a-server')
  // The default screen of missing pages.
  for (const text of [browser, server]) expect(text).toContain('next-error-h1')
  // The code of locales, which only sites with i18n have.
  for (const text of [browser, server]) expect(text).toContain('defaultLocale')
  expect(browser).not.toContain('sesame')
  for (const text of [browser, server]) expect(text).not.toContain('dropped-line')
  expect(await textOf('client', /\.css$/)).toMatch(
    /^body\{color:red;--marked:1\}\.of-the-loader\{--file:styles\.css;--marked:1\}\s*$/,
  )
})

it('X9 renders known paths during the build from files of the folder', async () => {
  expect(output).toMatch(/Rendered 2 pages in [\d.]+ s\n/)
  const text = await textOf('prerendered', /^/)
  expect(text).toContain('>text-of-a-post</p>')
  expect(text).toContain('"/posts/[id]":{"fallback":true,"first":[{"params":{"id":"one"},"locale":"en"}]}')
  expect(manifest.prerendered).toMatch(/^[0-9a-f]{12}$/)
})

it('X4 the loaders of turbopack.rules make modules of files, and change those of the site', async () => {
  expect(await textOf('prerendered', /^/)).toMatch(/<i[^>]*>icon-icon\.svg<\/i>(<!-- -->)?loaded-note<\/p>/)
  expect(output).toContain("mapped: turbopack.rules['*.svg']: ./loaders/icon.js")
  const [browser, server] = await Promise.all(['client', 'server'].map((name) => textOf(name, /\.js$/)))
  expect(browser).toContain('icon.svg')
  expect([browser?.includes('loaded-note'), server?.includes('loaded-note')]).toEqual([false, true])
})

it('X10 the documents of rendered pages have what getInitialProps of _document made of the page', async () => {
  const text = await textOf('prerendered', /^/)
  expect(text).toContain('<html lang="en" data-words="2" data-page="/posts/[id]"')
  expect(text).toMatch(
    /<style[^>]*>\.own\{\}<\/style><\/head><body[^>]*><div id="__next"><section[^>]*><p[^>]*>text-of-a-post/,
  )
})

it('X8 documents have the policy of headers and no other', () => {
  expect(manifest.csp).toEqual({ site: null, routes: {}, screen: null })
  expect(manifest.headers).toEqual([{ source: '/', headers: [{ key: 'Content-Security-Policy', value: POLICY }] }])
})

it('X2 X9 a build ends with the page that throws while it is rendered, and names links with an <a>', async () => {
  const broken = await createFolder({
    'package.json': '{ "name": "broken", "dependencies": { "next": "16.0.0" } }',
    'lib/rows.ts': 'interface Row { name: string }\n\nexport const first = (rows?: Row[]) =>\n  rows!.at(0)',
    'pages/index.tsx': `import Link from 'next/link'
export default function Home() {
  return <Link href="/list"><a>list</a></Link>
}`,
    'pages/list.tsx': `import { first } from '../lib/rows'
export default function List() { return <p>{first()?.name}</p> }`,
    'pages/data.js': `export const getStaticProps = () => { throw new Error('no database') }
export default function Data() { return null }`,
  })
  const built = await runBuild(broken)
  expect(built.output).toMatch(/^pages\/index\.tsx:3:10: <Link> with an <a>/m)
  expect(built.output).toMatch(
    /^lib\/rows\.ts:4:9: \/list \(pages\/list\.tsx\) throws during the build: Cannot read properties of undefined \(reading 'at'\)$/m,
  )
  expect(built.output).toMatch(
    /^pages\/data\.js:1:4\d: \/data \(pages\/data\.js\) throws during the build: no database$/m,
  )
  expect([built.code, await filesOf(broken)]).toEqual([1, expect.not.arrayContaining(['dist/manifest.json'])])
})
