// The suite of pages/404.

import { expect } from 'vitest'
import type { BuildBehaviour } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const SHOWN = 'No such shelf'
const IS_NOT_KEPT = { status: 404, headers: { 'cache-control': /no-store/ } }
const DEVELOPMENT = notApplicable('messages of the development server of Next.js')

function builds(number: number, does: string, page: string, refused?: RegExp): BuildBehaviour {
  return {
    id: `404-page-${number}`,
    does,
    via: 'build',
    files: {
      'pages/index.js': 'export default function Home() {\n  return null\n}\n',
      'pages/404.js': `${page}\nexport default function Page() {\n  return null\n}\n`,
    },
    async run({ code, output }) {
      if (refused) expect(output).toMatch(refused)
      expect(code === 0).toBe(refused === undefined)
    },
  }
}

export const page404: Suite = {
  name: '404-page',
  source: upstream('test/integration/404-page/test/index.test.js'),
  tests: 17,
  rows: { 6: FILE, 7: FILE, 8: DEVELOPMENT, 9: DEVELOPMENT, 10: DEVELOPMENT, 11: DEVELOPMENT },
  behaviours: [
    ...responses(
      '404-page',
      {
        '1 shows the page with its status for a path without a page': { also: [2], path: '/nothing', status: 404, text: SHOWN },
        '3 shows the page for the path of a file of types': { path: '/plan', text: SHOWN },
        '4 shows the page at its own path': { path: '/404', status: 404, text: SHOWN },
        '5 shows the screen of errors for a page that fails': { path: '/fails', status: 500, text: 'Trouble of kind' },
        '12 lets no cache keep the page with getStaticProps': { configuration: 'trailing-slash', path: ['/404/', '/_next/nothing.js'], ...IS_NOT_KEPT },
        '13 lets no cache keep the page with revalidate': { path: ['/404', '/_next/nothing.js'], ...IS_NOT_KEPT },
        '14 lets no cache keep the screen of a file that a build lacks': {
          configuration: 'basepath-trailing-slash',
          path: '/library/_next/nothing.js',
          ...IS_NOT_KEPT,
        },
      },
      { configuration: 'screens' },
    ),
    builds(15, 'refuses getInitialProps in the page', 'Page.getInitialProps = () => ({})', /pages\/404/),
    builds(16, 'builds with getStaticProps in the page', 'export const getStaticProps = () => ({ props: {} })'),
    builds(17, 'refuses getServerSideProps in the page', 'export const getServerSideProps = () => ({ props: {} })', /pages\/404/),
  ],
}
