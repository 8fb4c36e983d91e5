// The slash at the end of paths, in three configurations. The site of each has pages that list the same links.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../../harness/behaviour.ts'
import type { ConfigurationName } from '../../harness/configurations.ts'
import { responses } from '../../harness/responses.ts'

/** One configuration, with the numbers of its tests. */
export interface Form {
  configuration: ConfigurationName
  /** Before every path. */
  at: string
  /** The page that lists the links. */
  page: string
  /** From the `href` of a link, without `at`, to the address of its page. */
  links: Readonly<Record<string, string>>
}

function behaviour(form: Form, number: number, does: string): Pick<Behaviour, 'id' | 'does' | 'configuration'> {
  return { id: `trailing-slashes-${number}`, does, configuration: form.configuration }
}

export function redirects(form: Form, title: `${number} ${string}`, paths: Record<string, string>): Behaviour[] {
  const requests = Object.entries(paths).map(([path, to]) => ({ path: form.at + path, status: 308, toPath: form.at + to }))
  return responses('trailing-slashes', { [title]: { requests } }, { configuration: form.configuration })
}

/** Paths without a redirect, and the routes of their pages. */
export function resolves(form: Form, [http, browser]: readonly [number, number], does: string, paths: Record<string, string>): Behaviour[] {
  const requests = Object.entries(paths).map(([path, pathname]) => ({ path: form.at + path, status: 200, state: { pathname: form.at + pathname } }))
  return [
    ...responses('trailing-slashes', { [`${http} ${does} in its HTML`]: { requests } }, { configuration: form.configuration }),
    {
      ...behaviour(form, browser, `${does} after hydration`),
      via: 'browser',
      async run(site) {
        for (const [path, pathname] of Object.entries(paths)) {
          await site.open(form.at + path)
          expect((await site.state()).pathname).toBe(form.at + pathname)
          expect(site.address()).toBe(form.at + path)
        }
      },
    },
  ]
}

/** The links of a page: their `href`, a click on each, and `router.push` to each. */
export function linksTo(form: Form, [href, click, push]: readonly [number, number, number]): Behaviour[] {
  const follows = (number: number, does: string, attribute: string): Behaviour => ({
    ...behaviour(form, number, does),
    via: 'browser',
    async run(site) {
      for (const [link, address] of Object.entries(form.links)) {
        // Not all pages have the same links, and the address changes a moment before the page does.
        await site.open(form.page)
        await site.page.click(`[${attribute}="${link}"]`)
        await expect.poll(site.address, site.patience).toBe(address)
      }
    },
  })
  return [
    {
      ...behaviour(form, href, 'gives links the address of their page'),
      via: 'http',
      async run(site) {
        const html = await site.text(form.page)
        const found = Object.keys(form.links).map((link) => [link, hrefOf(html, `data-link="${link}"`)])
        expect(Object.fromEntries(found)).toEqual(form.links)
      },
    },
    follows(click, 'follows links to the address of their page', 'data-link'),
    follows(push, 'pushes the address of a page', 'data-push'),
  ]
}

export function leavesOthers(form: Form, number: number): Behaviour {
  return {
    ...behaviour(form, number, 'leaves links to other sites as they are'),
    via: 'http',
    async run(site: HttpSite) {
      const html = await site.text(form.page)
      expect(hrefOf(html, 'id="other"')).toBe('https://www.example.com')
      expect(hrefOf(html, 'id="other-slash"')).toBe('https://www.example.com/')
    },
  }
}

/** The `href` of the link with an attribute. */
function hrefOf(html: string, attribute: string): string | undefined {
  const tag = [...html.matchAll(/<a [^>]*>/g)].map(([text]) => text).find((text) => text.includes(attribute))
  return / href="([^"]*)"/.exec(tag ?? '')?.[1]
}
