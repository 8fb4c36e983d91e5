// The suite of a site whose _error is that of Next.js.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../harness/behaviour.ts'
import { FILE, type Suite } from '../harness/suite.ts'

function overHttp(number: number, does: string, run: Run<HttpSite>, also: readonly number[] = []): Behaviour {
  return { id: `404-page-custom-error-${number}`, does, configuration: 'basepath', via: 'http', run, also }
}

export const page404CustomError: Suite = {
  name: '404-page-custom-error',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/404-page-custom-error/test/index.test.js',
  },
  tests: 6,
  rows: { 4: FILE, 5: FILE },
  behaviours: [
    overHttp(1, 'shows the screen for a path without a page', async (site) => {
      const response = await site.fetch('/library/dynamic-routing/guests/anna/none')
      expect(response.status).toBe(404)
      expect(await response.text()).toContain('This page could not be found')
    }),
    overHttp(2, 'shows the screen for a page that fails', async (site) => {
      const response = await site.fetch('/library/getserversideprops/ships/sunk')
      expect(response.status).toBe(500)
      expect(await response.text()).toContain('Internal Server Error')
    }),
    overHttp(
      3,
      'builds, and shows the other pages',
      async (site) => {
        expect((await site.fetch('/library/probe')).status).toBe(200)
      },
      [6],
    ),
  ],
}
