// What a site of prerendered pages writes to its log.

import { expect } from 'vitest'
import type { HttpBehaviour, HttpSite } from '../../harness/behaviour.ts'
import { AT, overHttp } from './shared.ts'

/** A short one: the log of a request is written with its response. */
const PATIENCE = { timeout: 600 }

const lines = (site: HttpSite, pattern: RegExp) => site.log().filter((line) => pattern.test(line))

export const logs: readonly HttpBehaviour[] = [
  overHttp(45, 'reports a page with much data', async (site) => {
    await site.fetch(`${AT}/waits/much`)
    await expect.poll(() => lines(site, /data.*\/prerender\/waits.* 25\d kB/i).length, PATIENCE).toBeGreaterThan(0)
  }),
  overHttp(47, 'reports such a page once', async (site) => {
    const reports = () => lines(site, /data.*\/prerender\/much-each-time.* 25\d kB/i)
    await site.fetch(`${AT}/much-each-time`)
    await expect.poll(() => reports().length, PATIENCE).toBe(1)
    await site.fetch(`${AT}/much-each-time`)
    expect(reports()).toHaveLength(1)
  }),
  {
    ...overHttp(82, 'reports no fault of a page that it keeps', async (site) => {
      await site.fetch(`${AT}/users/ada/profile`)
      await site.data(`${AT}/users/ada/profile`)
      expect(lines(site, /Failed to update prerender|argument entity must be string/)).toEqual([])
    }),
    also: [94, 95, 96],
  },
]
