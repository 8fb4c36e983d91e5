// What shared-setup.ts has started, as the files of the browser project use it.

import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'

/** The member of the fixture who signs in. */
export const MEMBER = 'ida'

/** A connection to the Chromium of all files; closing it closes the pages of this file only. */
export function connectChromium({ keepsPages = false }: { keepsPages?: boolean } = {}): Promise<Browser> {
  const { plain, keepsPages: keeping } = inject('chromium')
  return chromium.connect(keepsPages ? keeping : plain)
}
