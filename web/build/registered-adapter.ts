// The adapter that this Portico has; undefined without one.

import type { SiteAdapter } from './adapter.ts'
import { nextAdapter } from './next/next.ts'

export const adapter: SiteAdapter | undefined = nextAdapter
