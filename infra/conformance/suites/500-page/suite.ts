// The suite of pages/500.

import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('500-page')

/** Whether the site writes a line to its log for a request. */
function logs(number: number, does: string, configuration: 'app' | 'screens', line: string): Behaviour {
  return {
    id: `500-page-${number}`,
    does,
    configuration,
    via: 'http',
    async run(site) {
      const count = () => site.log().filter((text) => text.includes(line)).length
      const before = count()
      expect((await site.fetch('/fails')).status).toBe(500)
      await expect.poll(count).toBeGreaterThan(before)
    },
  }
}

export const page500: Suite = {
  name: '500-page',
  source: upstream('test/integration/500-page/test/index.test.js'),
  tests: 12,
  rows: { 4: FILE, 5: FILE, 6: notApplicable('messages of the development server of Next.js'), 9: FILE, 11: FILE },
  behaviours: [
    ...responses('500-page', {
      '1 shows the page with its status at its own path': { also: [2, 3], configuration: 'app', path: '/500', status: 500, text: '<p id="withered">' },
    }),
    logs(7, 'renders the page for each failure if the app has getInitialProps', 'app', 'the withered page is rendered'),
    suite.inBrowser(8, 'keeps the title of the default screen in the browser', async (site) => {
      await site.page.goto(`${site.origin}/getserversideprops/ships/sunk?deck=lower`)
      await site.page.waitForLoadState('networkidle')
      expect(await site.page.title()).toBe('500: Internal Server Error')
    }),
    logs(10, 'calls getInitialProps of _error for each failure', 'screens', 'trouble is looked into'),
    {
      id: '500-page-12',
      does: 'refuses getInitialProps in the page',
      via: 'build',
      files: {
        'pages/index.js': 'export default function Home() {\n  return null\n}\n',
        'pages/500.js': 'Page.getInitialProps = () => ({})\nexport default function Page() {\n  return null\n}\n',
      },
      async run({ code, output }) {
        expect(output).toMatch(/pages\/500/)
        expect(code).not.toBe(0)
      },
    },
  ],
}
