// The adapter that this Portico has; undefined without one.

import { nextAdapter } from '../next/next.ts'
import type { SiteAdapter } from './adapter.ts'

export const adapter: SiteAdapter | undefined = nextAdapter
