// Pages with parameters in their path, in a browser.

import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'

const AT = '/dynamic-routing'

/** A link of the index page that leads to the shelf of maps. */
function followsTo(number: number, does: string, link: string, query: Record<string, string>): Behaviour {
  return {
    id: `dynamic-routing-${number}`,
    does,
    via: 'browser',
    async run(site) {
      await site.open(AT)
      await site.page.click(link)
      await expect
        .poll(site.state, site.patience)
        .toMatchObject({ pathname: `${AT}/[shelf]`, query: { shelf: 'maps', ...query } })
      const search = new URLSearchParams(query).toString()
      expect(site.address()).toBe(`${AT}/maps${search && `?${search}`}`)
      expect(site.documents).toHaveLength(1)
      expect(site.faults).toEqual([])
    },
  }
}

export const browser: readonly Behaviour[] = [
  {
    id: 'dynamic-routing-5',
    does: 'moves to a fragment of the same page, from a string and from an object',
    via: 'browser',
    async run(site) {
      await site.open(`${AT}/maps`)
      const { page } = site
      expect(await page.locator('#fragment').getAttribute('href')).toMatch(/^(\/dynamic-routing\/maps)?#labels$/)
      await page.click('#fragment')
      await expect.poll(site.address, site.patience).toBe(`${AT}/maps#labels`)
      await page.click('#fragment-object')
      await expect.poll(site.address, site.patience).toBe(`${AT}/maps#bottom`)
      expect(site.documents).toHaveLength(1)
    },
  },
  followsTo(20, 'follows a link that names the route and its address', '#as', {}),
  followsTo(22, 'finds the page with a parameter by the address alone', '#plain', {}),
  followsTo(23, 'puts the parameter of an object into the address', '#object', {}),
  followsTo(24, 'leaves other values of an object in the query', '#object-more', { year: '1890' }),
  {
    id: 'dynamic-routing-32',
    does: 'gives getInitialProps the parameter of the path in a client navigation',
    configuration: 'initial-props',
    via: 'browser',
    async run(site) {
      await site.open(`${AT}/guests/anna`)
      await site.page.click('#other')
      await expect.poll(site.state, site.patience).toMatchObject({ props: { guest: 'otto' } })
      expect(site.documents).toHaveLength(1)
    },
  },
]
