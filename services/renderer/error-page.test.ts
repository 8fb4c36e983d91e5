// The screens of a site that has pages/_error and neither pages/404 nor pages/500 (R5).

import { expect, test } from 'vitest'
import { testSite } from './testing/site.ts'
import { rendererForTests } from './testing/start-renderer.ts'

const under = rendererForTests({
  files: {
    'pages/_error.tsx': 'export default ({ statusCode }) => <h1>{"own screen " + statusCode}</h1>',
  },
})

const SHOWN = /own screen \d+/
const show = async (path: string) => {
  const { status, body } = await under.renderer.request(path)
  return [status, SHOWN.exec(body)?.[0]]
}

test('R5 _error is shown with its status for paths without a page, for notFound and for exceptions', async () => {
  testSite.data.missing = () => ({ notFound: true })
  testSite.data.broken = () => {
    throw new Error('broken')
  }
  expect(await show('/nothing/here')).toEqual([404, 'own screen 404'])
  expect(await show('/data/missing')).toEqual([404, 'own screen 404'])
  expect(await show('/data/broken')).toEqual([500, 'own screen 500'])
  expect(await show('/%00')).toEqual([400, 'own screen 400'])
})

test('R5 the route of a 404 that _error makes is /_error', async () => {
  const { body } = await under.renderer.request('/nothing/here')
  expect(body).toContain('"route":"/_error"')
  expect(body).not.toContain('"route":"/404"')
})

test('R5 C1 the entry for the page cache and the list of the browser have _error as the screen of unknown paths', async () => {
  const entry = await under.renderer.requestEntry('/404')
  expect(entry.html?.toString()).toMatch(SHOWN)
  const { screens } = under.renderer.manifest
  expect(screens.map(({ pattern, file }) => [pattern, file])).toEqual([
    ['/_error', 'pages/_error.tsx'],
    ['/404', 'pages/_error.tsx'],
  ])
  expect(screens[1]?.files).toEqual(screens[0]?.files)
})
