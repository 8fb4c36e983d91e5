// The suite of draft mode: preview mode without data.

import { DRAFT_COOKIE } from '@portico/shared/wire/cookies/draft-mode.ts'
import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { notApplicable, STEP, type Suite, upstream } from '../../harness/suite.ts'
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
} from '../preview-mode.ts'

const name = 'draft-mode'
const suite = behavioursOf(name)
const AT = `/${name}`
const DRAFT = draftWith({})

const behaviours: readonly Behaviour[] = [
  suite.overHttp(3, 'serves the published page to a client whose cookie the site does not know, and removes it', async (site) => {
    const forged = { headers: { cookie: `${DRAFT_COOKIE}=0123456789abcdef` } }
    const response = await site.fetch(AT, forged)
    expect(response.status).toBe(200)
    expect(cookiesOf(response).find((cookie) => cookie.name === DRAFT_COOKIE)).toMatchObject({ expires: new Date(0) })
    expect(await proofOf(site, AT, forged)).toMatchObject(PUBLISHED)
  }),
  suite.inBrowser(
    5,
    'shows a browser with the cookie drafts, in documents and after navigations',
    (site) => readsProofs(site, { at: AT, enter: 'draft', leave: 'undraft', proof: DRAFT }),
    { also: [6, 7] },
  ),
  suite.overHttp(
    10,
    'serves one render of the published page, however often it is requested',
    async (site) => {
      const first = await proofOf(site, AT)
      expect(first).toMatchObject(PUBLISHED)
      expect(await proofOf(site, AT)).toEqual(first)
    },
    { also: [11] },
  ),
  setsCookies(`${name}-12`, [DRAFT_COOKIE]),
  suite.overHttp(13, 'renders the page for each request of a client with the cookie', async (site) => {
    const client = await clientAfter(site, 'draft')
    const [published, first, second] = [await proofOf(site, AT), await proofOf(site, AT, client), await proofOf(site, AT, client)]
    expect([first, second]).toEqual([expect.objectContaining(DRAFT), expect.objectContaining(DRAFT)])
    expect(new Set([published.print, first.print, second.print]).size).toBe(3)
  }),
  suite.overHttp(14, 'lets no cache keep a page of the mode, whatever its data function says', async (site) => {
    const client = await clientAfter(site, 'draft')
    expectPrivate(await site.fetch(`${AT}/daily`, client))
    expect(await proofOf(site, `${AT}/daily`, client)).toMatchObject(DRAFT)
  }),
  suite.overHttp(15, 'renders the data of the page for such a client, and no cache keeps it', async (site) => {
    expect(await dataWith(site, AT, await clientAfter(site, 'draft'))).toMatchObject({ draftMode: true })
  }),
  suite.overHttp(16, 'removes the cookie of a client that leaves the mode', async (site) =>
    expectRemoved(await step(site, 'undraft', await clientAfter(site, 'draft')), [DRAFT_COOKIE]),
  ),
  suite.overHttp(17, 'gives a handler no mode for clients without the cookie', async (site) => {
    expect(await (await step(site, 'read')).json()).not.toHaveProperty('draftMode')
  }),
  suite.overHttp(18, 'gives a handler the mode', async (site) => {
    const response = await step(site, 'read', await clientAfter(site, 'draft'))
    expect(await response.json()).toMatchObject({ draftMode: true })
  }),
]

export const draftMode: Suite = {
  name,
  source: upstream('test/integration/draft-mode/test/index.test.ts'),
  tests: 18,
  rows: { 1: notApplicable('the start of the development server'), 2: notApplicable('the cookie of test 12, in development'), 4: STEP, 8: STEP, 9: STEP },
  behaviours,
}
