// The router's object as pages use it, below a basePath.

import { expect, test } from 'vitest'
import type { View } from '../view.ts'
import type { LateRouter } from './late-router.ts'
import { createRouterState } from './router-state.ts'

const view: View = {
  route: '/places/[slug]',
  params: { slug: 'x' },
  props: {},
  Page: () => null,
  styles: [],
  url: '/shop/places/x?a=1&a=2&slug=query#part',
  isFallback: false,
  isReady: true,
}

const images = { deviceSizes: [], imageSizes: [], qualities: [] }

function stateBelow(basePath: string, shown = view) {
  const calls: string[] = []
  const router = {
    push: async (url: string) => calls.push(`push ${url}`),
    replace: async (url: string) => calls.push(`replace ${url}`),
    prefetch: async (url: string) => calls.push(`prefetch ${url}`),
    links: { follow: () => true, observe: () => () => {}, intend: () => {} },
  } as unknown as LateRouter
  const events = { on: () => {}, off: () => {} }
  return {
    calls,
    state: createRouterState(shown, router, events, { basePath, trailingSlash: false, publicEnv: {}, images }),
  }
}

test('N2 paths are given without basePath', async () => {
  const { calls, state } = stateBelow('/shop')
  for (const url of ['/about', '/', '#part', '?a=2', 'https://other.example/', state.router.asPath]) {
    await state.router.push(url)
    await state.router.replace(url)
    await state.router.prefetch(url)
  }
  expect(calls.filter((each) => each.startsWith('push'))).toEqual([
    'push /shop/about',
    'push /shop',
    'push #part',
    'push ?a=2',
    'push https://other.example/',
    'push /shop/places/x?a=1&a=2&slug=query#part',
  ])
  expect(calls.filter((each) => each.endsWith('/about'))).toEqual([
    'push /shop/about',
    'replace /shop/about',
    'prefetch /shop/about',
  ])
})

test('N2 the object has the address of the page, params before query values', () => {
  expect(stateBelow('/shop').state.router).toMatchObject({
    pathname: '/places/[slug]',
    asPath: '/places/x?a=1&a=2&slug=query#part',
    query: { a: ['1', '2'], slug: 'x' },
    basePath: '/shop',
  })
  expect(stateBelow('/shop', { ...view, url: '/shop' }).state.router.asPath).toBe('/')
})
