// The suite of getInitialProps in documents.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../harness/behaviour.ts'
import type { Suite } from '../harness/suite.ts'

const AT = '/getinitialprops'

function overHttp(number: number, does: string, run: Run<HttpSite>): Behaviour {
  return { id: `getinitialprops-${number}`, does, via: 'http', run }
}

function addressOf(number: number, does: string, path: string): Behaviour {
  return overHttp(number, does, async (site) => {
    expect(await site.stateOf(AT + path)).toMatchObject({ pathname: `${AT}/stalls/[stall]`, asPath: AT + path })
  })
}

export const getInitialProps: Suite = {
  name: 'getinitialprops',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/getinitialprops/test/index.test.js',
  },
  tests: 4,
  rows: {},
  behaviours: [
    overHttp(1, 'marks the data of a page with getInitialProps', async (site) => {
      const html = await site.text(AT)
      expect(html).toContain('"gip":true')
      expect(html).toContain('Saturday')
    }),
    overHttp(2, 'does not mark the data of another page', async (site) => {
      expect(await site.text(`${AT}/closed`)).not.toContain('"gip"')
    }),
    addressOf(3, 'has the address of a page with a parameter in the router', '/stalls/7'),
    addressOf(4, 'has the address of the request in the router of a page behind a rewrite', '/stalls/corner/7'),
  ],
}
