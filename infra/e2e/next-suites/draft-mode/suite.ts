// The suite of draft mode: preview mode without data.

import { DRAFT_COOKIE } from '@portico/shared/wire/cookies/draft-mode.ts'
import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'
import {
  clientAfter,
  cookiesOf,
  dataWith,
  draftWith,
  expectPrivate,
  expectRemoved,
  PUBLISHED,
  proofOf,
  readsProofs,
  setsCookies,
  step,
} from '../harness/preview-mode.ts'
import { notApplicable, STEP, type Suite, upstream } from '../harness/suite.ts'

const name = 'draft-mode'
const AT = `/${name}`
const DRAFT = draftWith({})

const behaviours: readonly Behaviour[] = [
  {
    id: `${name}-3`,
    does: 'serves the published page to a client whose cookie the site does not know, and removes it',
    via: 'http',
    async run(site) {
      const forged = { headers: { cookie: `${DRAFT_COOKIE}=0123456789abcdef` } }
      const response = await site.fetch(AT, forged)
      expect(response.status).toBe(200)
      expect(cookiesOf(response).find((cookie) => cookie.name === DRAFT_COOKIE)).toMatchObject({ expires: new Date(0) })
      expect(await proofOf(site, AT, forged)).toMatchObject(PUBLISHED)
    },
  },
  {
    id: `${name}-5`,
    also: [6, 7],
    does: 'shows a browser with the cookie drafts, in documents and after navigations',
    via: 'browser',
    run: (site) => readsProofs(site, { at: AT, enter: 'draft', leave: 'undraft', proof: DRAFT }),
  },
  {
    id: `${name}-10`,
    also: [11],
    does: 'serves one render of the published page, however often it is requested',
    via: 'http',
    async run(site) {
      const first = await proofOf(site, AT)
      expect(first).toMatchObject(PUBLISHED)
      expect(await proofOf(site, AT)).toEqual(first)
    },
  },
  setsCookies(`${name}-12`, [DRAFT_COOKIE]),
  {
    id: `${name}-13`,
    does: 'renders the page for each request of a client with the cookie',
    via: 'http',
    async run(site) {
      const client = await clientAfter(site, 'draft')
      const [published, first, second] = [
        await proofOf(site, AT),
        await proofOf(site, AT, client),
        await proofOf(site, AT, client),
      ]
      expect([first, second]).toEqual([expect.objectContaining(DRAFT), expect.objectContaining(DRAFT)])
      expect(new Set([published.print, first.print, second.print]).size).toBe(3)
    },
  },
  {
    id: `${name}-14`,
    does: 'lets no cache keep a page of the mode, whatever its data function says',
    via: 'http',
    async run(site) {
      const client = await clientAfter(site, 'draft')
      expectPrivate(await site.fetch(`${AT}/daily`, client))
      expect(await proofOf(site, `${AT}/daily`, client)).toMatchObject(DRAFT)
    },
  },
  {
    id: `${name}-15`,
    does: 'renders the data of the page for such a client, and no cache keeps it',
    via: 'http',
    async run(site) {
      expect(await dataWith(site, AT, await clientAfter(site, 'draft'))).toMatchObject({ draftMode: true })
    },
  },
  {
    id: `${name}-16`,
    does: 'removes the cookie of a client that leaves the mode',
    via: 'http',
    run: async (site) => expectRemoved(await step(site, 'undraft', await clientAfter(site, 'draft')), [DRAFT_COOKIE]),
  },
  {
    id: `${name}-17`,
    does: 'gives a handler no mode for clients without the cookie',
    via: 'http',
    async run(site) {
      expect(await (await step(site, 'read')).json()).not.toHaveProperty('draftMode')
    },
  },
  {
    id: `${name}-18`,
    does: 'gives a handler the mode',
    via: 'http',
    async run(site) {
      const response = await step(site, 'read', await clientAfter(site, 'draft'))
      expect(await response.json()).toMatchObject({ draftMode: true })
    },
  },
]

export const draftMode: Suite = {
  name,
  source: upstream('test/integration/draft-mode/test/index.test.ts'),
  tests: 18,
  rows: {
    1: notApplicable('the start of the development server'),
    2: notApplicable('the cookie of test 12, in development'),
    4: STEP,
    8: STEP,
    9: STEP,
  },
  behaviours,
}
