// The suite of preview mode for paths that a page lists or does not list: nothing of a preview is kept.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { BOTH, clientAfter, cookiesOf, draftWith, PUBLISHED, proofOf, step } from '../harness/preview-mode.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const name = 'preview-fallback'
const AT = `/${name}`
const DRAFT = draftWith({})

const published = async (site: HttpSite, path: string, more: object) =>
  expect(await proofOf(site, path)).toMatchObject({ ...PUBLISHED, ...more })

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
  {
    id: `${name}-1`,
    does: 'enters the mode without data',
    via: 'http',
    async run(site) {
      expect(cookiesOf(await step(site, 'bare')).map((cookie) => cookie.name)).toEqual(BOTH)
    },
  },
  keepsNothing(2, 'keeps no preview of a page without parameters', ''),
  keepsNothing(3, 'keeps no preview of a listed path of a page that has no other paths', '/closed/atlas', {
    book: 'atlas',
  }),
  {
    id: `${name}-4`,
    does: 'previews a path that does not exist, which does not exist afterwards either',
    via: 'http',
    async run(site) {
      const path = `${AT}/closed/sketches`
      expect((await site.fetch(path)).status).toBe(404)
      expect(await proofOf(site, path, await clientAfter(site, 'bare'))).toMatchObject({ ...DRAFT, book: 'sketches' })
      expect((await site.fetch(path)).status).toBe(404)
    },
  },
  keepsNothing(5, 'keeps no preview of a listed path of a page that renders others on demand', '/open/atlas', {
    book: 'atlas',
  }),
  {
    id: `${name}-6`,
    does: 'keeps no preview of a path that was rendered on demand',
    via: 'browser',
    async run(site) {
      const path = `${AT}/open/letters`
      const shown = { props: { ...PUBLISHED, book: 'letters' } }
      await site.open(path)
      await expect.poll(site.state, site.patience).toMatchObject(shown)
      expect(await proofOf(site, path, await clientAfter(site, 'bare'))).toMatchObject({ ...DRAFT, book: 'letters' })
      await site.open(path)
      await expect.poll(site.state, site.patience).toMatchObject(shown)
    },
  },
]

export const previewFallback: Suite = {
  name,
  source: upstream('test/integration/preview-fallback/test/index.test.js'),
  tests: 6,
  rows: {},
  behaviours,
}
