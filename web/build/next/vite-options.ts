// Vite's options in compatibility mode: inlined values, PostCSS and Sass as Next.js configures them, transforms of the
// `compiler` block.

import type { InlineConfig, Plugin } from 'vite'
import type { BundleSources } from '../bundles/bundle-sources.ts'
import { aliasesOf } from './aliases.ts'
import { codeEnv } from './code-env.ts'
import { mdxModules } from './mdx/mdx-plugin.ts'
import { styledJsx } from './styled-jsx/styled-jsx.ts'
import { jsxSource } from './transforms/jsx-source.ts'
import { linkAnchors } from './transforms/link-anchors.ts'
import { pathAliases } from './transforms/path-aliases.ts'
import { removeConsole } from './transforms/remove-console.ts'
import { loadedFiles, loadedSources } from './transforms/webpack-loaders.ts'

/** Options besides those of every site; empty outside of the mode. */
export function nextOptions({ folder, next }: Pick<BundleSources, 'folder' | 'next'>): InlineConfig {
  if (!next.on) return {}
  const { defines, sass, aliases, tsconfig, resolveExtensions, styledComponents, postcss } = next
  return {
    // The server's bundles replace it by their own text.
    define: { 'process.env.NEXT_RUNTIME': '""', ...defines },
    resolve: {
      alias: aliasesOf(folder.dir, aliases, tsconfig),
      ...(resolveExtensions && { extensions: resolveExtensions }),
    },
    css: {
      ...(postcss && { postcss: { plugins: postcss } }),
      preprocessorOptions: { scss: sass, sass },
    },
    oxc: { ...(styledComponents && { plugins: { styledComponents } }) },
  }
}

/** Plugins besides those of every site; the first ones of a bundle. */
export function nextPlugins(appDir: string, sources: () => BundleSources): Plugin[] {
  const settings = () => sources().next
  return [
    linkAnchors(appDir, { isOn: () => settings().on, note: (line) => void sources().notes.add(line) }),
    loadedFiles(appDir, settings),
    mdxModules(appDir, settings),
    pathAliases(appDir, settings),
    loadedSources(appDir, settings),
    styledJsx(appDir, settings),
    removeConsole(settings),
    jsxSource(settings),
    codeEnv(appDir, sources),
  ]
}
