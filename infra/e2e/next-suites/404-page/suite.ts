// The suite of pages/404.

import { expect } from 'vitest'
import type { Behaviour, BuildBehaviour, HttpSite, Run } from '../harness/behaviour.ts'
import type { ConfigurationName } from '../harness/configurations.ts'
import { FILE, notApplicable, type Suite } from '../harness/suite.ts'

const SHOWN = 'No such shelf'
const DEVELOPMENT = notApplicable('messages of the development server of Next.js')

function overHttp(number: number, does: string, run: Run<HttpSite>, also: readonly number[] = []): Behaviour {
  return { id: `404-page-${number}`, does, configuration: 'screens', via: 'http', run, also }
}

function isNotKept(
  number: number,
  does: string,
  configuration: ConfigurationName,
  paths: readonly string[],
): Behaviour {
  return {
    ...overHttp(number, does, async (site) => {
      for (const path of paths) {
        const { status, headers } = await site.fetch(path)
        expect([path, status, headers.get('cache-control')]).toEqual([path, 404, expect.stringContaining('no-store')])
      }
    }),
    configuration,
  }
}

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
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/404-page/test/index.test.js',
  },
  tests: 17,
  rows: { 6: FILE, 7: FILE, 8: DEVELOPMENT, 9: DEVELOPMENT, 10: DEVELOPMENT, 11: DEVELOPMENT },
  behaviours: [
    overHttp(
      1,
      'shows the page with its status for a path without a page',
      async (site) => {
        const response = await site.fetch('/nothing')
        expect(response.status).toBe(404)
        expect(await response.text()).toContain(SHOWN)
      },
      [2],
    ),
    overHttp(3, 'shows the page for the path of a file of types', async (site) => {
      expect(await site.text('/plan')).toContain(SHOWN)
    }),
    overHttp(4, 'shows the page at its own path', async (site) => {
      const response = await site.fetch('/404')
      expect(response.status).toBe(404)
      expect(await response.text()).toContain(SHOWN)
    }),
    overHttp(5, 'shows the screen of errors for a page that fails', async (site) => {
      const response = await site.fetch('/fails')
      expect(response.status).toBe(500)
      expect(await response.text()).toContain('Trouble of kind')
    }),
    isNotKept(12, 'lets no cache keep the page with getStaticProps', 'trailing-slash', ['/404/', '/_next/nothing.js']),
    isNotKept(13, 'lets no cache keep the page with revalidate', 'screens', ['/404', '/_next/nothing.js']),
    isNotKept(14, 'lets no cache keep the screen of a file that a build lacks', 'basepath-trailing-slash', [
      '/library/_next/nothing.js',
    ]),
    builds(15, 'refuses getInitialProps in the page', 'Page.getInitialProps = () => ({})', /pages\/404/),
    builds(16, 'builds with getStaticProps in the page', 'export const getStaticProps = () => ({ props: {} })'),
    builds(
      17,
      'refuses getServerSideProps in the page',
      'export const getServerSideProps = () => ({ props: {} })',
      /pages\/404/,
    ),
  ],
}
