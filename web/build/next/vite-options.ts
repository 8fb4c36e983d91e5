// Vite's options in compatibility mode: inlined values, and those of the plugins.

import { type InlineConfig, mergeConfig } from 'vite'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import { PLUGINS } from './plugins/plugins.ts'

export function viteOptions({ folder, next }: Pick<BundleSources, 'folder' | 'next'>): InlineConfig {
  // The server's bundles replace it by their own text.
  const values: InlineConfig = { define: { 'process.env.NEXT_RUNTIME': '""', ...next.defines } }
  return PLUGINS.reduce((all, { options }) => mergeConfig(all, options?.(folder.dir, next) ?? {}), values)
}
