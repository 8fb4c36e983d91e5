// The suite of data functions of pages/500 and _error.

import { expect } from 'vitest'
import type { BuildBehaviour } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('500-page-gsp-gssp')

const DEVELOPMENT = notApplicable('messages of the development server of Next.js')
const HOME = 'export default function Home() {\n  return null\n}\n'
const FIXED = 'export const getStaticProps = () => ({ props: {} })'

type Builds = Pick<BuildBehaviour, 'differs'> & { app?: string }

function builds(number: number, does: string, page: string, run: BuildBehaviour['run'], { app, ...more }: Builds = {}): BuildBehaviour {
  const files = {
    'pages/index.js': HOME,
    'pages/500.js': `${page}\nexport default function Page() {\n  console.log('the roof leaks')\n  return null\n}\n`,
    ...(app !== undefined && { 'pages/_app.js': app }),
  }
  return { id: `500-page-gsp-gssp-${number}`, does, via: 'build', files, run, ...more }
}

export const page500Data: Suite = {
  name: '500-page-gsp-gssp',
  source: upstream('test/integration/500-page/test/gsp-gssp.test.js'),
  tests: 6,
  rows: { 5: DEVELOPMENT, 6: DEVELOPMENT },
  behaviours: [
    builds(1, 'builds with getStaticProps in the page', FIXED, async ({ code }) => {
      expect(code).toBe(0)
    }),
    builds(2, 'refuses getServerSideProps in the page', 'export const getServerSideProps = () => ({ props: {} })', async ({ code, output }) => {
      expect(output).toMatch(/pages\/500/)
      expect(code).not.toBe(0)
    }),
    builds(
      3,
      'renders the page during the build, also if the app has getInitialProps',
      FIXED,
      async ({ code, output }) => {
        expect(output).toContain('the roof leaks')
        expect(code).toBe(0)
      },
      {
        app: `import Base from 'next/app'
export default function App({ Component, pageProps }) {
  return <Component {...pageProps} />
}
App.getInitialProps = (context) => Base.getInitialProps(context)
`,
        differs: {
          reason: 'pages/500 is rendered for the failure, whose digest it shows, and not during the build',
          async run({ code, output }) {
            expect(output).not.toContain('the roof leaks')
            expect(code).toBe(0)
          },
        },
      },
    ),
    suite.overHttp(
      4,
      'calls getServerSideProps of _error for each failure',
      async (site) => {
        const count = () => site.log().filter((line) => line.includes('the bell is rung')).length
        const before = count()
        const response = await site.fetch('/getserversideprops/ships/sunk/')
        expect(response.status).toBe(500)
        expect(await response.text()).toMatch(/Bell for (<!-- -->)?500/)
        await expect.poll(count).toBeGreaterThan(before)
      },
      { configuration: 'trailing-slash' },
    ),
  ],
}
