// Builds of stylesheets of Sass.

import { expect } from 'vitest'
import type { BuildBehaviour, BuildResult } from '../../harness/behaviour.ts'

const PAGE = 'export default function Some() {\n  return null\n}\n'
const SHEET = '.leaf {\n  color: #1b2b3b;\n}\n'
const IMPORT = "import '../styles/site.scss'\n"
const APP = 'export default function App({ Component, pageProps }) {\n  return <Component {...pageProps} />\n}\n'
const DOCUMENT = `import { Head, Html, Main, NextScript } from 'next/document'
import styles from '../styles/site.module.scss'
export default function Document() {
  return <Html><Head /><body className={styles.leaf}><Main /><NextScript /></body></Html>
}
`

type Files = Record<string, string>
type Run = (result: BuildResult) => Promise<void>

const succeeds: Run = async ({ code, output }) => expect(code, output).toBe(0)

const refuses =
  (...texts: readonly RegExp[]): Run =>
  async ({ code, output }) => {
    for (const text of texts) expect(output).toMatch(text)
    expect(code, output).not.toBe(0)
  }

function build(number: number, does: string, files: Files, run: Run, more: Partial<BuildBehaviour> = {}) {
  return { id: `scss-${number}`, does, via: 'build', files, run, ...more } satisfies BuildBehaviour
}

export const builds: readonly BuildBehaviour[] = [
  build(
    4,
    'begins each sheet with the text of the configuration under its older name',
    {
      'next.config.js': "module.exports = { sassOptions: { prependData: '$leaf: #1b2b3b;' } }\n",
      'pages/index.jsx': `import { leaf } from './leaf.module.scss'\nexport default () => <p className={leaf} />\n`,
      'pages/leaf.module.scss': '.leaf {\n  color: $leaf;\n}\n',
    },
    succeeds,
  ),
  build(
    16,
    'refuses a global sheet that a page imports, whether the app imports it, too, or not',
    {
      'pages/_app.jsx': IMPORT + APP,
      'pages/index.jsx': `import '../styles/page.scss'\n${IMPORT}${PAGE}`,
      'styles/page.scss': SHEET,
      'styles/site.scss': SHEET,
    },
    refuses(/styles\/page\.scss/, /styles\/site\.scss/, /pages\/index/),
    { also: [17, 43], differs: { reason: 'a page has the sheets that its modules import', run: succeeds } },
  ),
  build(
    18,
    'builds a document with names of a module whose rules no page has',
    { 'pages/_document.jsx': DOCUMENT, 'pages/index.jsx': PAGE, 'styles/site.module.scss': SHEET },
    succeeds,
    {
      differs: {
        reason: 'names without their rules are a fault',
        run: refuses(/pages\/_document\.jsx:2:20: "\.\.\/styles\/site\.module\.scss" has no effect in a document/),
      },
    },
  ),
  build(
    44,
    'names the package of Sass that is missing',
    {
      'next.config.js': "module.exports = { sassOptions: { implementation: 'sass-embedded' } }\n",
      'pages/_app.jsx': IMPORT + APP,
      'pages/index.jsx': PAGE,
      'styles/site.scss': SHEET,
    },
    refuses(/sass-embedded/),
  ),
]
