// The suite of _document and _app in HTML.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('app-document')

const AT = '/app-document'
const NONCE = 'Z2FyZGVu'

function overHttp(number: number, does: string, run: Run<HttpSite>): Behaviour {
  return { id: `app-document-${number}`, does, configuration: 'app', via: 'http', run }
}

/** The page with one of both marks, or with both. */
const marked = (around: string, ids: readonly string[]) => {
  const markOf = (id: string) => `<b id="${id}">Marked</b>`
  const others = ['marked-page', 'marked-app'].filter((id) => !ids.includes(id))
  return { path: `?around=${around}`, text: ids.map(markOf), without: others.map(markOf) }
}

/** The elements that load code: scripts with an address, and preloads. */
function loading(html: string): string[] {
  return [...html.matchAll(/<script\b[^>]*\ssrc=[^>]*>|<link\b[^>]*\srel="(?:module)?preload"[^>]*>/g)].map(([tag]) => tag)
}

export const appDocument: Suite = {
  name: 'app-document',
  source: upstream('test/integration/app-document/test/rendering.js'),
  tests: 12,
  rows: { 9: notApplicable('addresses of the development server'), 12: notApplicable('edits a file while the development server of Next.js runs') },
  behaviours: [
    ...responses(
      'app-document',
      {
        '1 writes the elements and props of the document': {
          path: '',
          text: [
            /<html[^>]* class="of-the-garden"/,
            /<body[^>]* class="of-the-beds"/,
            /<style[^>]*>body \{ color: darkgreen \}<\/style>[\s\S]*<\/head>/,
            '<script id="__NEXT_DATA__"',
            '<p id="sign">No dogs</p>',
          ],
        },
        '2 gives the HTML of the page to the document': {
          requests: [
            { path: '', text: '<p id="seeds">2</p>' },
            { path: '/paths', text: '<p id="seeds">0</p>' },
          ],
        },
        '5 wraps the page by a function': marked('function', ['marked-page']),
        '6 wraps the page': marked('page', ['marked-page']),
        '7 wraps the app': marked('app', ['marked-app']),
        '8 wraps the page and the app': marked('page-app', ['marked-page', 'marked-app']),
        '10 renders the page in the app': { path: '', text: '<h2 id="gate">Garden gate</h2>' },
        '11 shares the state of a module between app and page': { path: '/season', text: '<p id="season">sown</p>' },
      },
      { at: AT, configuration: 'app' },
    ),
    overHttp(3, 'writes the nonce of the document to everything that loads code', async (site) => {
      const tags = loading(await site.text(AT))
      expect(tags.length).toBeGreaterThan(0)
      for (const tag of tags) expect(tag).toContain(`nonce="${NONCE}"`)
    }),
    suite.overHttp(
      4,
      'loads code with the mode of the configuration',
      async (site) => {
        for (const tag of loading(await site.text(AT))) expect(tag).toContain('crossorigin="anonymous"')
      },
      {
        configuration: 'app',
        differs: {
          reason: 'scripts are modules, which are loaded in this mode without the attribute',
          async run(site) {
            for (const tag of loading(await site.text(AT))) expect(tag).toMatch(/type="module"|rel="modulepreload"/)
          },
        },
      },
    ),
  ],
}
