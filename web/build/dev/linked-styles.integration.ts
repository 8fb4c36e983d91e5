// The stylesheets of every page of a small site, under development and in a build: the same ones in the same order.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { removeFolders } from '../testing/folders.ts'
import { buildSite, type Site } from '../testing/small-app.ts'
import { createDevBuild, type DevBuild } from './dev.ts'

/** A stylesheet that can be found in a bundle. */
const sheet = (name: string) => `.${name} { --sheet: ${name} }`
const styled = (name: string) => `import css from './${name}.module.css'
export function ${name}({ children }) { return <div className={css.${name}}>{children}</div> }`

const STYLED: Record<string, string> = {
  // Every stylesheet depends on every file of two folders, stylesheets too, as with Tailwind.
  'postcss.config.mjs': `import { join } from 'node:path'
const Once = (root, { result }) => {
  for (const name of ['components', 'pages'])
    result.messages.push({ type: 'dir-dependency', plugin: 'reads', dir: join(import.meta.dirname, name), glob: '**/*', parent: result.opts.from })
}
export default { plugins: [{ postcssPlugin: 'reads', Once }] }`,
  'styles/global.css': `@import './reset.css';\n${sheet('global')}`,
  'styles/reset.css': sheet('reset'),
  'styles/theme.css': sheet('theme'),
  'styles/tokens.css': sheet('tokens'),
  'pages/_app.tsx': `import '../styles/global.css'
import { shell } from '../components/shell.tsx'
import '../styles/theme.css'
export default function App({ Component, pageProps }) { return shell({ children: <Component {...pageProps} /> }) }`,
  ...Object.fromEntries(
    ['shell', 'one', 'two', 'three', 'mail'].flatMap((name) => [
      [`components/${name}.module.css`, sheet(name)],
      [`components/${name}.tsx`, styled(name)],
    ]),
  ),
  'components/box.module.css': sheet('box'),
  'components/late.module.css': sheet('late'),
  'components/index.ts': "export * from './one.tsx'\nexport * from './two.tsx'\nexport * from './three.tsx'",
  'lib/mail.ts': "import { mail } from '../components/mail.tsx'\nexport const send = () => String(mail)",
  // Own styles after, before and between shared ones.
  'pages/after.tsx': "import { one } from '../components/one.tsx'\nimport './after.css'\nexport default () => one({})",
  'pages/after.css': sheet('after'),
  'pages/before.tsx':
    "import './before.css'\nimport { one } from '../components/one.tsx'\nexport default () => one({})",
  'pages/before.css': sheet('before'),
  'pages/between.tsx':
    "import './between-a.css'\nimport { one } from '../components/one.tsx'\nimport './between-b.css'\nimport { two } from '../components/two.tsx'\nexport default () => one({ children: two({}) })",
  'pages/between-a.css': sheet('between-a'),
  'pages/between-b.css': sheet('between-b'),
  'pages/reversed.tsx':
    "import { three } from '../components/three.tsx'\nimport { two } from '../components/two.tsx'\nimport { one } from '../components/one.tsx'\nexport default () => one({ children: [two({}), three({})] })",
  // Sheets of _app in another order.
  'pages/order.tsx':
    "import '../styles/theme.css'\nimport '../styles/tokens.css'\nimport '../styles/global.css'\nimport { shell } from '../components/shell.tsx'\nexport default () => shell({})",
  // Loads `two`, which other pages have from the start.
  'components/box.tsx': `import css from './box.module.css'
import { two } from './two.tsx'
export function Box() { return <div className={css.box}>{two({})}</div> }`,
  'pages/lazy.tsx':
    "import { dynamic } from 'portico'\nimport './lazy.css'\nconst Box = dynamic(() => import('../components/box.tsx'))\nexport default () => <Box />",
  'pages/lazy.css': sheet('lazy'),
  'pages/barrel.tsx': "import { two } from '../components/index.ts'\nexport default () => two({})",
  'pages/data.tsx': `import { send } from '../lib/mail.ts'
import './data.css'
export const getServerSideProps = () => ({ props: { text: send() } })
export default ({ text }) => <p>{text}</p>`,
  'pages/data.css': sheet('data'),
  'pages/text.tsx':
    "import text from '../styles/theme.css?inline'\nimport url from '../styles/reset.css?url'\nexport default () => <p title={url}>{text}</p>",
  'pages/packaged.tsx': "import { Badge } from 'styled-badge'\nexport default () => <Badge />",
  'node_modules/styled-badge/package.json':
    '{"name":"styled-badge","version":"1.0.0","type":"module","exports":"./index.js"}',
  'node_modules/styled-badge/index.js':
    "import './badge.css'\nimport { createElement } from 'react'\nexport const Badge = () => createElement('b')",
  'node_modules/styled-badge/badge.css': sheet('badge'),
}

let site: Site
let dev: DevBuild
beforeAll(async () => {
  site = await buildSite(STYLED)
  // The stack reads the .env files before it starts the services.
  vi.stubEnv('HOME_PATH', '/')
  dev = await createDevBuild({ appDir: site.dir, onChange() {} })
}, 120_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await dev?.close()
  await removeFolders()
})

const sheetsIn = (texts: string[]) =>
  texts.flatMap((text) => [...text.matchAll(/--sheet:\s*([\w-]+)/g)].map(([, name]) => name))

const sheetsOf = async (names: Iterable<string>) =>
  sheetsIn(await Promise.all([...names].map((name) => readFile(join(site.dist, 'client/static', name), 'utf8'))))

async function builtSheets(pattern: string): Promise<unknown[]> {
  const { browserEntry, pages, screens } = site.manifest
  const page = [...pages, ...screens].find((each) => each.pattern === pattern)
  return sheetsOf(new Set([...browserEntry.styles, ...(page?.files.styles ?? [])]))
}

async function devSheets(pattern: string, file: string): Promise<unknown[]> {
  await (await dev.vite().importServer()).pages[pattern]?.()
  const urls = new Set([...(await dev.vite().stylesOf('pages/_app.tsx')), ...(await dev.vite().stylesOf(file))])
  return sheetsIn(await Promise.all([...urls].map((url) => dev.vite().readStyle(url) ?? '')))
}

describe('stylesheets', () => {
  test('F3 follow those of _app in the order of their imports, in few files', async () => {
    const { pages, browserEntry } = site.manifest
    const own = Object.fromEntries(
      await Promise.all(
        pages.map(async ({ pattern }) => {
          const [, ...sheets] = /^reset global shell theme ?(.*)$/.exec((await builtSheets(pattern)).join(' ')) ?? []
          return [pattern, sheets.join(' ')]
        }),
      ),
    )
    expect(own).toMatchObject({
      '/after': 'one after',
      '/before': 'before one',
      '/between': 'between-a one between-b two',
      '/reversed': 'three two one',
      '/order': 'tokens',
      '/barrel': 'one two three',
      '/data': 'data',
      '/text': '',
      '/packaged': 'badge',
      '/lazy': 'lazy',
    })
    expect(browserEntry.styles).toHaveLength(1)
    // `two` has its own file: code that is loaded at first use has it, too.
    const count = (name: string) => pages.find(({ pattern }) => pattern === name)!.files.styles.length
    expect(['/after', '/barrel', '/between', '/reversed'].map(count)).toEqual([1, 3, 2, 3])
  })

  test('F3 of code that is loaded at first use come with the code, and are in no other file', async () => {
    const { pages } = site.manifest
    const scriptOf = (pattern: string) => pages.find((page) => page.pattern === pattern)!.files.module
    const script = await readFile(join(site.dist, 'client/static', scriptOf('/lazy')), 'utf8')
    const late = [...script.matchAll(/styles-\w+\.css/g)].map(([name]) => name)
    expect(await sheetsOf(late)).toEqual(['box', 'two'])
    const reversed = pages.find(({ pattern }) => pattern === '/reversed')!.files.styles
    expect(
      reversed.filter((name) => late.includes(name)),
      'the file of `two`',
    ).toHaveLength(1)
  })

  test('V1 F3 are those of a build under development, in the same order, on every page', async () => {
    const { pages, screens } = site.manifest
    const built: Record<string, unknown> = {}
    const linked: Record<string, unknown> = {}
    for (const { pattern, file } of [...pages, ...screens]) {
      built[pattern] = await builtSheets(pattern)
      linked[pattern] = await devSheets(pattern, file)
    }
    expect(linked).toEqual(built)
  })
})
