// The suite of styles that a document adds in a fragment.

import { expect } from 'vitest'
import type { Suite } from '../harness/suite.ts'

export const appDocumentStyleFragment: Suite = {
  name: 'app-document-style-fragment',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/app-document-style-fragment/test/index.test.js',
  },
  tests: 1,
  rows: {},
  behaviours: [
    {
      id: 'app-document-style-fragment-1',
      does: 'writes every style of the fragment to the head',
      configuration: 'app',
      via: 'http',
      async run(site) {
        const html = await site.text('/app-document')
        for (const style of ['.leaf { color: seagreen }', '.root { color: sienna }'])
          expect(html.slice(0, html.indexOf('</head>'))).toContain(`${style}</style>`)
      },
    },
  ],
}
