// One thing that sites of Next.js have and Vite does not do by itself.

import type { InlineConfig, Plugin } from 'vite'
import type { BundleSources } from '../../bundle-sources/bundle-sources.ts'
import type { ModeSettings } from '../../mode.ts'

export interface NextPlugin {
  /** The plugins of builds and development. Each calls `sources` again, because development changes the result. */
  plugins?(appDir: string, sources: () => BundleSources): Plugin[]
  /** Options of Vite besides those of every site. */
  options?(appDir: string, settings: ModeSettings): InlineConfig
  /** Plugins for packages that development bundles in advance. */
  ofPackages?(settings: ModeSettings): Plugin[]
}
