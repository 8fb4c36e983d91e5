// What behaviours of several suites expect of a response.

import { expect } from 'vitest'
import type { HttpSite } from './harness/behaviour.ts'

/** The path has a page, and its HTML has the text. */
export async function servesText(site: HttpSite, path: string, text: string): Promise<void> {
  const response = await site.fetch(path)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain(text)
}
