// A site below a base path, over HTTP.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../harness/other-host.ts'

const AT = '/library'

type HttpRun = (site: HttpSite) => Promise<void>

const http = (number: number, does: string, run: HttpRun): Behaviour => ({
  ...{ id: `basepath-${number}`, does, configuration: 'basepath', via: 'http', run },
})

/** A path that has no page. */
const lacks = (number: number, does: string, path: string): Behaviour =>
  http(number, does, async (site) => expect((await site.fetch(path)).status).toBe(404))

/** A path, and the value of a header that a rule adds. */
const adds = (number: number, does: string, path: string, value: string | null): Behaviour =>
  http(number, does, async (site) => expect((await site.fetch(path)).headers.get('x-below')).toBe(value))

/** A redirect. Its body names the location, for clients that do not follow it. */
function redirects(number: number, does: string, path: string, status: number, to: string): Behaviour {
  const expectBody = (body: string) => async (site: HttpSite) => {
    const response = await site.fetch(path)
    expect(response.status).toBe(status)
    expect(new URL(response.headers.get('location') ?? '', site.origin).pathname).toBe(to)
    expect(await response.text()).toBe(body)
  }
  return {
    ...{ id: `basepath-${number}`, does, configuration: 'basepath', via: 'http', run: expectBody(to) },
    differs: { reason: 'no browser shows the body of a redirect', run: expectBody('') },
  }
}

/** A path that a rule outside of the base path names is that of a page below it. */
const isNamed = (number: number, does: string, name: string, configuration: 'basepath' | 'other-hosts'): Behaviour => ({
  ...{ id: `basepath-${number}`, does, configuration },
  via: 'http',
  async run(site) {
    expect((await site.fetch(`${AT}/${name}`)).status).toBe(200)
    expect((await site.stateOf(`${AT}/${name}`)).pathname).toBe('/[name]')
  },
})

export const httpBehaviours: readonly Behaviour[] = [
  lacks(10, 'serves no public file without the base path', '/notice.txt'),
  http(11, 'serves a public file below the base path', async (site) => {
    const response = await site.fetch(`${AT}/notice.txt`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('quiet please\n')
  }),
  http(12, 'rewrites below the base path', async (site) => {
    for (const path of ['/borrowed', '/lent/first'])
      expect(await site.stateOf(AT + path)).toMatchObject({ pathname: '/fresh', props: { paper: 'gazette' } })
  }),
  lacks(13, 'rewrites no path without the base path', '/borrowed'),
  isNamed(14, 'does not rewrite below the base path what is to be rewritten outside', 'outer-rewrite', 'other-hosts'),
  {
    id: 'basepath-15',
    does: 'rewrites to another host outside of the base path',
    configuration: 'other-hosts',
    via: 'http',
    async run(site) {
      await withOtherHost(PORTS.http, async () =>
        expect(await site.text('/outer-rewrite')).toBe('<h1>Another host</h1>'),
      )
    },
  },
  redirects(16, 'redirects below the base path', `${AT}/returned`, 307, `${AT}/cellar`),
  lacks(17, 'redirects no path without the base path', '/returned'),
  isNamed(18, 'does not redirect below the base path what is to be redirected outside', 'outer-redirect', 'basepath'),
  redirects(19, 'redirects outside of the base path', '/outer-redirect', 307, '/elsewhere'),
  adds(20, 'adds headers below the base path', `${AT}/with-header`, 'yes'),
  adds(21, 'adds no headers without the base path', '/with-header', null),
  adds(22, 'adds no headers below the base path that are for paths outside', `${AT}/outer-header`, null),
  adds(23, 'adds headers outside of the base path', '/outer-header', 'no'),
  redirects(34, 'redirects to the path without the slash at its end', `${AT}/desk/`, 308, `${AT}/desk`),
  redirects(35, 'redirects to the base path without the slash at its end', `${AT}/`, 308, AT),
  http(42, 'shows a page below the base path', async (site) => {
    expect(await site.text(`${AT}/desk`)).toContain('<h1>Desk</h1>')
  }),
  http(47, 'gives a link the base path', async (site) => {
    expect(await site.text(`${AT}/desk`)).toMatch(/<a [^>]*id="attic"[^>]* href="\/library\/attic"/)
  }),
  http(48, 'gives a link to the index the base path alone', async (site) => {
    expect(await site.text(`${AT}/attic`)).toMatch(/<a [^>]*id="index"[^>]* href="\/library"/)
  }),
  http(49, 'shows its own screen for the path of a page without the base path', async (site) => {
    const response = await site.fetch('/desk')
    expect(response.status).toBe(404)
    const html = await response.text()
    expect(html).not.toContain('<h1>Desk</h1>')
    expect(html).toContain('This page could not be found')
  }),
  http(50, 'shows another page below the base path', async (site) => {
    expect(await site.text(`${AT}/attic`)).toContain('<h1>Attic</h1>')
  }),
  http(51, 'gives the router of a page the base path', async (site) => {
    expect(await site.text(`${AT}/desk`)).toContain('<p id="base-path">/library</p>')
  }),
]
