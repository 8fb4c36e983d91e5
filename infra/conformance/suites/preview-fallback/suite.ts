// The suite of preview mode for paths that a page lists or does not list: nothing of a preview is kept.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'
import { BOTH, clientAfter, cookiesOf, draftWith, PUBLISHED, proofOf, step } from '../preview-mode.ts'

const name = 'preview-fallback'
const suite = behavioursOf(name)
const AT = `/${name}`
const DRAFT = draftWith({})

const published = async (site: HttpSite, path: string, more: object) => expect(await proofOf(site, path)).toMatchObject({ ...PUBLISHED, ...more })

/** The page as published before and after it was seen as a preview. */
async function staysPublished(site: HttpSite, path: string, more: object = {}) {
  await published(site, path, more)
  expect(await proofOf(site, path, await clientAfter(site, 'bare'))).toMatchObject({ ...DRAFT, ...more })
  await published(site, path, more)
}

function keepsNothing(number: number, does: string, path: string, more?: object): Behaviour {
  return { id: `${name}-${number}`, does, via: 'http', run: (site) => staysPublished(site, AT + path, more) }
}

const behaviours: readonly Behaviour[] = [
  suite.overHttp(1, 'enters the mode without data', async (site) => {
    expect(cookiesOf(await step(site, 'bare')).map((cookie) => cookie.name)).toEqual(BOTH)
  }),
  keepsNothing(2, 'keeps no preview of a page without parameters', ''),
  keepsNothing(3, 'keeps no preview of a listed path of a page that has no other paths', '/closed/atlas', { book: 'atlas' }),
  suite.overHttp(4, 'previews a path that does not exist, which does not exist afterwards either', async (site) => {
    const path = `${AT}/closed/sketches`
    expect((await site.fetch(path)).status).toBe(404)
    expect(await proofOf(site, path, await clientAfter(site, 'bare'))).toMatchObject({ ...DRAFT, book: 'sketches' })
    expect((await site.fetch(path)).status).toBe(404)
  }),
  keepsNothing(5, 'keeps no preview of a listed path of a page that renders others on demand', '/open/atlas', { book: 'atlas' }),
  suite.inBrowser(6, 'keeps no preview of a path that was rendered on demand', async (site) => {
    const path = `${AT}/open/letters`
    const shown = { props: { ...PUBLISHED, book: 'letters' } }
    await site.open(path)
    await expect.poll(site.state, site.patience).toMatchObject(shown)
    expect(await proofOf(site, path, await clientAfter(site, 'bare'))).toMatchObject({ ...DRAFT, book: 'letters' })
    await site.open(path)
    await expect.poll(site.state, site.patience).toMatchObject(shown)
  }),
]

export const previewFallback: Suite = { name, source: upstream('test/integration/preview-fallback/test/index.test.js'), tests: 6, rows: {}, behaviours }
