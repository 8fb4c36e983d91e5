// The suite of preview mode for pages that are rendered once.

import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { notApplicable, STEP, type Suite, upstream } from '../../harness/suite.ts'
import { previewBehaviours } from '../preview-behaviours.ts'
import { BOTH, clientAfter, cookiesOf, expectRemoved, step } from '../preview-mode.ts'

const name = 'prerender-preview'
const suite = behavioursOf(name)
const development = notApplicable('the start of the development server')

const more: readonly Behaviour[] = [
  suite.overHttp(7, 'gives the cookies the life that the handler says', async (site) => {
    const cookies = cookiesOf(await step(site, 'preview?seconds=90'))
    expect(cookies.map(({ name, maxAge }) => [name, maxAge])).toEqual(BOTH.map((name) => [name, 90]))
  }),
  suite.overHttp(8, 'gives the cookies the path that the handler says', async (site) => {
    const cookies = cookiesOf(await step(site, 'preview?path=/proofs'))
    expect(cookies.map(({ name, path }) => [name, path])).toEqual(BOTH.map((name) => [name, '/proofs']))
  }),
  suite.overHttp(12, 'removes the cookies of the path that the handler says', async (site) =>
    expectRemoved(await step(site, 'leave?path=/proofs', await clientAfter(site, 'preview')), BOTH, '/proofs'),
  ),
  suite.overHttp(13, 'gives a handler no mode for clients without the cookies', async (site) => {
    expect(await (await step(site, 'read')).json()).toEqual({ previewData: false })
  }),
  suite.overHttp(14, 'gives a handler the mode and its data', async (site) => {
    const response = await step(site, 'read', await clientAfter(site, 'preview?ink=red'))
    expect(await response.json()).toEqual({ preview: true, draftMode: true, previewData: { ink: 'red' } })
  }),
]

export const prerenderPreview: Suite = {
  name,
  source: upstream('test/integration/prerender-preview/test/index.test.js'),
  tests: 22,
  rows: { 1: STEP, 2: STEP, 15: development, 16: notApplicable('the cookies of test 6, in development'), 18: STEP },
  behaviours: [
    ...previewBehaviours(name, { published: [3, 4], tooLarge: 5, enter: 6, page: 9, data: 10, leave: 11, stale: 17, inBrowser: [19, 20, 21, 22] }),
    ...more,
  ],
}
