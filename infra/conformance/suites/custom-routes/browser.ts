// Rewrites in a browser: links and the router lead to the page that the server would show.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, PageState } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { AT } from './expectations.ts'

const suite = behavioursOf('custom-routes')

async function expectState(site: BrowserSite, state: Partial<PageState>): Promise<void> {
  await expect.poll(site.state, site.patience).toMatchObject(state)
}

/** A link of the entrance, and the page to which it leads without a new document. */
function follows(number: number, does: string, link: string, address: string, state: Partial<PageState>): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'browser',
    async run(site) {
      await site.open(`${AT}/entrance`)
      await site.page.click(link)
      await expectState(site, state)
      expect((await site.state()).query).toEqual(state.query)
      expect(site.address()).toBe(AT + address)
      expect(site.documents).toHaveLength(1)
    },
  }
}

/** An address, and what the page knows after hydration. */
function knows(number: number, does: string, path: string, state: Partial<PageState>): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'browser',
    async run(site) {
      await site.open(AT + path)
      await expectState(site, state)
      expect((await site.state()).query).toEqual(state.query)
    },
  }
}

const TO_STILL = { pathname: `${AT}/still/[name]`, query: { name: 'vase', by: 'rewrite' } }

export const browser: readonly Behaviour[] = [
  follows(7, 'follows a link to a path that a page with a parameter takes over', '#tickets', '/tickets', {
    ...{ pathname: `${AT}/_sale/[item]`, query: { item: 'tickets' } },
  }),
  follows(8, 'follows a link to a path that a page below a parameter takes over', '#prices', '/tickets/prices', {
    ...{ pathname: `${AT}/_sale/[item]/prices`, query: { item: 'tickets' } },
  }),
  suite.inBrowser(10, 'goes back to a rewritten path', async (site) => {
    const push = (path: string) => site.page.evaluate(`void window.next.router.push(${JSON.stringify(path)})`)
    await site.open(`${AT}/start`)
    await push(`${AT}/to-still`)
    await expectState(site, TO_STILL)
    await push(`${AT}/entrance`)
    await expectState(site, { pathname: `${AT}/entrance` })
    await site.page.goBack()
    await expectState(site, TO_STILL)
    expect((await site.state()).query).toEqual(TO_STILL.query)
    expect(site.documents).toHaveLength(1)
  }),
  suite.inBrowser(11, 'looks for further rewrites after one that comes before files', async (site) => {
    expect(await site.text(`${AT}/old-wing/about`)).toContain('<h1>Garden</h1>')
    await site.open(`${AT}/entrance`)
    await site.page.click('#old-wing')
    await site.page.getByRole('heading', { name: 'Garden' }).waitFor()
    expect(site.documents).toHaveLength(1)
  }),
  knows(13, 'has parameter and query of a rewrite to a static page with a parameter', '/to-still', TO_STILL),
  knows(14, 'has parameter and query of a rewrite to a static page', '/to-other-still/deep', {
    ...{ pathname: `${AT}/still/other`, query: { path: ['deep'], by: 'rewrite' } },
  }),
  suite.inBrowser(41, 'follows links that name the page and a path of a rewrite, and loads that path', async (site) => {
    const arrives = async (path: string, heading: string) => {
      await site.page.getByRole('heading', { name: heading }).waitFor()
      expect(site.address()).toBe(AT + path)
    }
    await site.open(`${AT}/entrance`)
    await site.page.click('#one')
    await arrives('/one', 'Garden')
    expect(site.documents).toHaveLength(1)
    await site.open(`${AT}/one`)
    await arrives('/one', 'Garden')
    await site.page.click('#entrance')
    await arrives('/entrance', 'Entrance')
    await site.page.click('#two')
    await arrives('/two', 'Terrace')
    expect(site.documents).toHaveLength(2)
    await site.open(`${AT}/two`)
    await arrives('/two', 'Terrace')
  }),
  follows(42, 'follows a link that names the page with its query, and a path of a rewrite', '#as', '/changed/7?colour=red', {
    ...{ pathname: `${AT}/hall`, query: { one: '7', colour: 'red' } },
  }),
  follows(43, 'follows a link to a path of a rewrite', '#href', '/changed/7?colour=red', { ...{ pathname: `${AT}/hall`, query: { one: '7', colour: 'red' } } }),
  follows(44, 'follows a link to a path that is rewritten to a page with a parameter', '#still', '/to-still', TO_STILL),
  suite.inBrowser(86, 'shows another page instead of one with a value of the query, from a link, too', async (site) => {
    const state = { pathname: `${AT}/hall`, query: { winter: '1', 'instead-of': 'garden' } }
    expect(await site.text(`${AT}/garden`)).toContain('<h1>Garden</h1>')
    expect(await site.stateOf(`${AT}/garden?winter=1`)).toMatchObject(state)
    await site.open(`${AT}/entrance`)
    await site.page.click('#winter')
    await expectState(site, state)
    expect(site.documents).toHaveLength(1)
  }),
  knows(99, 'hydrates a page with a parameter whose path is rewritten to itself', '/still/jug', {
    ...{ pathname: `${AT}/still/[name]`, query: { name: 'jug' } },
  }),
]
