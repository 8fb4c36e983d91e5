// The suite of _document and _app in HTML.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../harness/behaviour.ts'
import { notApplicable, type Suite } from '../harness/suite.ts'

const AT = '/app-document'
const NONCE = 'Z2FyZGVu'

function overHttp(number: number, does: string, run: Run<HttpSite>): Behaviour {
  return { id: `app-document-${number}`, does, configuration: 'app', via: 'http', run }
}

function wraps(number: number, does: string, around: string, ids: readonly string[]): Behaviour {
  return overHttp(number, does, async (site) => {
    const html = await site.text(`${AT}?around=${around}`)
    for (const id of ['marked-page', 'marked-app'])
      expect([id, html.includes(`<b id="${id}">Marked</b>`)]).toEqual([id, ids.includes(id)])
  })
}

/** The elements that load code: scripts with an address, and preloads. */
function loading(html: string): string[] {
  return [...html.matchAll(/<script\b[^>]*\ssrc=[^>]*>|<link\b[^>]*\srel="(?:module)?preload"[^>]*>/g)].map(
    ([tag]) => tag,
  )
}

export const appDocument: Suite = {
  name: 'app-document',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/app-document/test/rendering.js',
  },
  tests: 12,
  rows: {
    9: notApplicable('addresses of the development server'),
    12: notApplicable('edits a file while the development server of Next.js runs'),
  },
  behaviours: [
    overHttp(1, 'writes the elements and props of the document', async (site) => {
      const html = await site.text(AT)
      expect(html).toMatch(/<html[^>]* class="of-the-garden"/)
      expect(html).toMatch(/<body[^>]* class="of-the-beds"/)
      expect(html).toMatch(/<style[^>]*>body \{ color: darkgreen \}<\/style>[\s\S]*<\/head>/)
      expect(html).toContain('<script id="__NEXT_DATA__"')
      expect(html).toContain('<p id="sign">No dogs</p>')
    }),
    overHttp(2, 'gives the HTML of the page to the document', async (site) => {
      expect(await site.text(AT)).toContain('<p id="seeds">2</p>')
      expect(await site.text(`${AT}/paths`)).toContain('<p id="seeds">0</p>')
    }),
    overHttp(3, 'writes the nonce of the document to everything that loads code', async (site) => {
      const tags = loading(await site.text(AT))
      expect(tags.length).toBeGreaterThan(0)
      for (const tag of tags) expect(tag).toContain(`nonce="${NONCE}"`)
    }),
    {
      id: 'app-document-4',
      does: 'loads code with the mode of the configuration',
      configuration: 'app',
      via: 'http',
      async run(site) {
        for (const tag of loading(await site.text(AT))) expect(tag).toContain('crossorigin="anonymous"')
      },
      differs: {
        reason: 'scripts are modules, which are loaded in this mode without the attribute',
        async run(site) {
          for (const tag of loading(await site.text(AT))) expect(tag).toMatch(/type="module"|rel="modulepreload"/)
        },
      },
    },
    wraps(5, 'wraps the page by a function', 'function', ['marked-page']),
    wraps(6, 'wraps the page', 'page', ['marked-page']),
    wraps(7, 'wraps the app', 'app', ['marked-app']),
    wraps(8, 'wraps the page and the app', 'page-app', ['marked-page', 'marked-app']),
    overHttp(10, 'renders the page in the app', async (site) => {
      expect(await site.text(AT)).toContain('<h2 id="gate">Garden gate</h2>')
    }),
    overHttp(11, 'shares the state of a module between app and page', async (site) => {
      expect(await site.text(`${AT}/season`)).toContain('<p id="season">sown</p>')
    }),
  ],
}
