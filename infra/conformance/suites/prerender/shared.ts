// What the behaviours of prerendered pages share.

import { expect } from 'vitest'
import { behavioursOf, type HttpSite, type PageState } from '../../harness/behaviour.ts'

export const AT = '/prerender'

export const { overHttp, inBrowser } = behavioursOf('prerender')

/** Props of the pages of the observatory. */
export interface Props {
  params: Record<string, string | string[]> | null
  /** Differs for each call of the data function. */
  made: string
}

export const propsOf = (state: PageState) => state.props as Props

/** When the page of a path was made, as its HTML shows it. */
export const madeOf = async (site: HttpSite, path: string) => propsOf(await site.stateOf(AT + path)).made

/** When the data of a path was made. */
export async function madeOfData(site: HttpSite, path: string): Promise<string> {
  return String((await site.data(AT + path)).pageProps.made)
}

/** Requests that the site makes a page again; whether the site has. */
export async function renew(site: HttpSite, path: string, query = ''): Promise<boolean> {
  const response = await site.fetch(`/api/prerender/renew?path=${AT}${path}${query}`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { renewed: boolean }).renewed
}

/** How long a page is given to be made again, besides the second that it is kept. */
export const PATIENCE = { timeout: 8000, interval: 30 }

export const seconds = (count: number) => new Promise((done) => setTimeout(done, count * 1000))
