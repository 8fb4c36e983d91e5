// The events of the router of a site below a base path.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'

const DESK = '/library/desk'
const ATTIC = '/library/attic'
const PLAIN = { shallow: false }
const TO_ATTIC = [
  ['routeChangeStart', ATTIC, PLAIN],
  ['beforeHistoryChange', ATTIC, PLAIN],
  ['routeChangeComplete', ATTIC, PLAIN],
]

/** What `components/log-events.ts` of the site has written. */
const eventsOf = (site: BrowserSite) => site.page.evaluate(`JSON.parse(sessionStorage.getItem('events') ?? '[]')`) as Promise<unknown[]>

/** From the desk, without the events of its own start. */
function reports(number: number, does: string, links: readonly string[], events: readonly unknown[]): Behaviour {
  return {
    ...{ id: `basepath-${number}`, does, configuration: 'basepath' },
    via: 'browser',
    async run(site) {
      await site.open(DESK)
      await expect.poll(() => site.page.evaluate('window.next.router.isReady'), site.patience).toBe(true)
      await site.page.evaluate(`sessionStorage.removeItem('events')`)
      for (const link of links) await site.page.click(link)
      await expect.poll(() => eventsOf(site), site.patience).toEqual(events)
    },
  }
}

export const eventBehaviours: readonly Behaviour[] = [
  reports(53, 'reports a navigation with the base path', ['#attic'], TO_ATTIC),
  reports(
    54,
    'reports a move to a fragment with the base path',
    ['#own-fragment'],
    [
      ['hashChangeStart', `${DESK}#drawer`, PLAIN],
      ['hashChangeComplete', `${DESK}#drawer`, PLAIN],
    ],
  ),
  reports(
    55,
    'reports a navigation that another one cancels with the base path',
    ['#slow', '#attic'],
    [['routeChangeStart', '/library/slow', PLAIN], ['routeChangeError', ['Route Cancelled', true], '/library/slow', PLAIN], ...TO_ATTIC],
  ),
  reports(
    56,
    'reports a navigation that fails with the base path',
    ['#broken'],
    [
      ['routeChangeStart', '/library/broken', PLAIN],
      ['routeChangeError', ['Failed to load static props', false], '/library/broken', PLAIN],
    ],
  ),
]
