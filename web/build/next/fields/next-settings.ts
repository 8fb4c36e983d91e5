// What a next.config.* sets besides the fields that portico.config.* has, too.

import type { PostcssPlugins } from '../postcss.ts'

export interface NextSettings {
  /** Endings of pages and API handlers, without the first dot. */
  pageExtensions: string[]
  /** Expressions that the bundler replaces in every bundle, such as `process.env.NEXT_PUBLIC_A`: text of their values. */
  defines: Record<string, string>
  /** The same for the server's bundles only. */
  serverDefines: Record<string, string>
  /** Development renders the app in React's StrictMode. */
  reactStrictMode: boolean
  /** Calls of the console that a build keeps; undefined keeps all. */
  removeConsole?: { exclude: string[] }
  /** Options of the bundler's transform for styled-components. */
  styledComponents?: Record<string, unknown>
  jsxImportSource?: string
  /** Options of Sass. */
  sass: Record<string, unknown>
  /** Imports that mean other modules. */
  aliases: Record<string, string>
  /** Name of the file with `paths` and `baseUrl`. */
  tsconfig?: string
  /** Plugins of a PostCSS configuration that lists them by name. */
  postcss?: PostcssPlugins
}

export const DEFAULT_PAGE_EXTENSIONS: readonly string[] = ['tsx', 'ts', 'jsx', 'js']

export function defaultSettings(): NextSettings {
  return {
    pageExtensions: [...DEFAULT_PAGE_EXTENSIONS],
    defines: {},
    serverDefines: {},
    reactStrictMode: false,
    sass: {},
    aliases: {},
  }
}
