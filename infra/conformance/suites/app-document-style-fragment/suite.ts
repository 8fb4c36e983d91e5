// The suite of styles that a document adds in a fragment.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('app-document-style-fragment')

export const appDocumentStyleFragment: Suite = {
  name: 'app-document-style-fragment',
  source: upstream('test/integration/app-document-style-fragment/test/index.test.js'),
  tests: 1,
  rows: {},
  behaviours: [
    suite.overHttp(
      1,
      'writes every style of the fragment to the head',
      async (site) => {
        const html = await site.text('/app-document')
        for (const style of ['.leaf { color: seagreen }', '.root { color: sienna }'])
          expect(html.slice(0, html.indexOf('</head>'))).toContain(`${style}</style>`)
      },
      { configuration: 'app' },
    ),
  ],
}
