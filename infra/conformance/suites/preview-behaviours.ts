// Behaviours of preview mode that pages with both kinds of data functions have: two suites prove them.

import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'
import {
  BOTH,
  clientAfter,
  dataWith,
  draftWith,
  expectPrivate,
  expectRemoved,
  FORGED,
  PUBLISHED,
  proofOf,
  readsProofs,
  setsCookies,
  step,
} from './preview-mode.ts'

/** The numbers of the tests in the file of the suite; those with several numbers prove the others, too. */
export interface PreviewTests {
  published: readonly [number, ...number[]]
  tooLarge: number
  enter: number
  page: number
  data: number
  leave: number
  stale: number
  inBrowser: readonly [number, ...number[]]
}

const proof = draftWith({ ink: 'red' })

/** `name` is that of the suite, and of the folder of its pages. */
export function previewBehaviours(name: string, tests: PreviewTests): readonly Behaviour[] {
  const at = `/${name}`
  const [published, ...alsoPublished] = tests.published
  const [inBrowser, ...alsoInBrowser] = tests.inBrowser
  return [
    {
      id: `${name}-${published}`,
      also: alsoPublished,
      does: 'serves the published page to clients without the cookies, each time',
      via: 'http',
      async run(site) {
        for (let request = 0; request < 2; request++) {
          expect(await proofOf(site, at)).toMatchObject(PUBLISHED)
          expect(await site.text(at)).not.toContain('"isPreview":true,"')
        }
      },
    },
    {
      id: `${name}-${tests.tooLarge}`,
      does: 'refuses data that no cookie can hold',
      via: 'http',
      async run(site) {
        const response = await step(site, 'preview?size=2100')
        expect([response.status, await response.text()]).toEqual([500, 'too much for a proof'])
        expect(response.headers.getSetCookie()).toEqual([])
      },
    },
    setsCookies(`${name}-${tests.enter}`, BOTH),
    {
      id: `${name}-${tests.page}`,
      does: 'renders the page for a client with the cookies, and no cache keeps it',
      via: 'http',
      async run(site) {
        const response = await site.fetch(at, await clientAfter(site, 'preview?ink=red'))
        expectPrivate(response)
        expect(await response.text()).toMatch(/"isPreview":true,"/)
        expect(await proofOf(site, at, await clientAfter(site, 'preview?ink=red'))).toMatchObject(proof)
      },
    },
    {
      id: `${name}-${tests.data}`,
      does: 'renders the data of the page for such a client, and no cache keeps it',
      via: 'http',
      async run(site) {
        const pageProps = await dataWith(site, at, await clientAfter(site, 'preview?ink=red'))
        expect(pageProps).toMatchObject({ preview: true, previewData: { ink: 'red' } })
      },
    },
    {
      id: `${name}-${tests.leave}`,
      does: 'removes both cookies of a client that leaves the mode',
      via: 'http',
      run: async (site) => expectRemoved(await step(site, 'leave', await clientAfter(site, 'preview')), BOTH),
    },
    {
      id: `${name}-${tests.stale}`,
      does: 'serves the published page to a client whose cookies the site does not know, and removes them',
      via: 'http',
      async run(site) {
        const response = await site.fetch(at, FORGED)
        expect(response.status).toBe(200)
        expectRemoved(response, BOTH)
        expect(await proofOf(site, at, FORGED)).toMatchObject(PUBLISHED)
      },
    },
    {
      id: `${name}-${inBrowser}`,
      also: alsoInBrowser,
      does: 'shows a browser with the cookies drafts, in documents, after navigations and after each refresh',
      via: 'browser',
      run: (site) => readsProofs(site, { at, enter: 'preview?ink=red', leave: 'leave', proof }),
    },
  ]
}
