// The suite of props of the app next to those of a page.

import { expect } from 'vitest'
import { behavioursOf, type HttpSite } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const { overHttp } = behavioursOf('gssp-page-props-merge')

const merges = (page: string) => async (site: HttpSite) => {
  const { props } = await site.stateOf(`/gssp-page-props-merge/${page}`)
  expect(props).toEqual({ soil: 'of the page', water: 'of the app' })
}

const app = { configuration: 'app' } as const

export const gsspPagePropsMerge: Suite = {
  name: 'gssp-page-props-merge',
  source: upstream('test/integration/gssp-pageProps-merge/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: [
    overHttp(1, 'prefers the props of getServerSideProps to those of the app', merges('each-time'), app),
    overHttp(2, 'prefers the props of getStaticProps to those of the app', merges('made'), app),
  ],
}
