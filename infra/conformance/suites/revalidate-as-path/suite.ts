// The suite of the path that a page knows when its data is made again.

import { expect } from 'vitest'
import { behavioursOf, type HttpSite } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/revalidate-as-path'

const { overHttp } = behavioursOf('revalidate-as-path')

/** A page that a request for its data has made again. */
const rendersAt = (path: string) => async (site: HttpSite) => {
  const before = site.log().length
  await new Promise((done) => setTimeout(done, 1100))
  expect((await site.data(path)).pageProps).toEqual({ isMade: true })
  const lines = () => site.log().slice(before).join('\n')
  await expect.poll(lines, { timeout: 3000 }).toContain(`rendered at ${path} .`)
}

export const revalidateAsPath: Suite = {
  name: 'revalidate-as-path',
  source: upstream('test/integration/revalidate-as-path/test/index.test.js'),
  tests: 4,
  rows: {},
  behaviours: [
    {
      ...overHttp(1, 'renders a page at its path for its data', async (site) => {
        await Promise.all([rendersAt(AT)(site), rendersAt(`${AT}/other/index`)(site)])
      }),
      also: [4],
    },
    ...responses('revalidate-as-path', {
      '2 renders a page at its path': { path: AT, state: { asPath: AT } },
      '3 renders a page called index at its path': { path: `${AT}/other/index`, state: { asPath: `${AT}/other/index` } },
    }),
  ],
}
