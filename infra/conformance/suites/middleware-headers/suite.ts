// The suite of request headers that middleware adds, removes and changes.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/middleware-headers'

type Received = Record<string, unknown>

/** What receives the request, and the headers that it shows. */
const RECEIVERS: readonly [string, (response: Response) => Promise<Received>][] = [
  [`/api${AT}/node`, (response) => response.json() as Promise<Received>],
  [`/api${AT}/edge`, (response) => response.json() as Promise<Received>],
  [AT, async (response) => stateIn(await response.text())],
]

function stateIn(html: string): Received {
  const text = /<pre id="state">([\s\S]*?)<\/pre>/.exec(html)?.[1] ?? ''
  return (JSON.parse(text.replaceAll('&quot;', '"')) as { props: { headers: Received } }).props.headers
}

function changes(number: number, does: string, search: string, check: (received: Received) => void): Behaviour {
  const run: Run<HttpSite> = async (site) => {
    for (const [path, read] of RECEIVERS) {
      const response = await site.fetch(path + search, { headers: { 'x-one': 'sent', 'X-Two': 'sent' } })
      const names = [...response.headers.keys()]
      expect(names.filter((name) => /^x-(middleware|one|two|of)/.test(name))).toEqual([])
      const received = await read(response)
      expect(received['x-of-middleware']).toBe('added')
      check(received)
    }
  }
  return { id: `middleware-headers-${number}`, does, via: 'http', configuration: 'middleware', run }
}

export const middlewareHeaders: Suite = {
  name: 'middleware-headers',
  source: upstream('test/e2e/middleware-request-header-overrides/test/index.test.ts'),
  tests: 3,
  rows: {},
  behaviours: [
    changes(1, 'adds a header for handlers and pages, and keeps those of the client', '', (received) =>
      expect(received).toMatchObject({ 'x-one': 'sent', 'x-two': 'sent' }),
    ),
    changes(2, 'removes headers of the client', '?without=x-one,x-two', (received) =>
      expect([received['x-one'], received['x-two']]).toEqual([undefined, undefined]),
    ),
    changes(3, 'changes headers of the client', '?with=x-one:new', (received) => expect(received).toMatchObject({ 'x-one': 'new', 'x-two': 'sent' })),
  ],
}
