// What an app folder has that Portico serves: numbers and names, without judgement.

import { readdir } from 'node:fs/promises'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import { parseSiteConfig, type SiteConfig } from '../config/config.ts'
import { middlewareLine, publicPaths } from '../folder/folder.ts'
import type { PageFacts } from '../route-facts.ts'
import type { SiteModules } from './loaded-modules.ts'

export interface Supported {
  pages: {
    count: number
    getServerSideProps: number
    getStaticProps: number
    getStaticPaths: number
    /** Compatibility mode only. */
    getInitialProps?: number
    none: number
  }
  /** When pages of known paths are rendered for the first time. */
  prerender: SiteConfig['prerender']
  /** `_app`, `_document`, `404`, `500`, `_error`: their files. */
  special: string[]
  apiHandlers: number
  /** Its file and the number of its matchers. */
  middleware: string | undefined
  actions: { count: number; modules: number }
  /** The fields of portico.config.* that differ from an empty file; none for a file with faults. */
  config: { file: string; fields: string[] } | undefined
  styles: { global: number; modules: number; tools: string[] }
  publicFiles: number
  /** In the order of their names. */
  envFiles: string[]
  /** The command of package.json, which the check does not run. */
  assetsScript: string | undefined
}

interface SupportedOptions {
  sources: BundleSources
  pages: readonly PageFacts[]
  modules: SiteModules
  assetsScript: string | undefined
}

export async function readSupported({ sources, pages, modules, assetsScript }: SupportedOptions): Promise<Supported> {
  const { folder, config, actions, next } = sources
  const names = await readdir(folder.dir)
  const countOf = (kind: PageFacts['kind']) => pages.filter((page) => page.kind === kind).length
  const isModule = (name: string) => /\.module\.\w+$/.test(name)
  const special = [folder.app, folder.document, ...folder.screens.map(({ file }) => file)]
  return {
    pages: {
      count: pages.length,
      getServerSideProps: countOf('server'),
      getStaticProps: countOf('static'),
      getStaticPaths: pages.filter(({ exports }) => exports.has('getStaticPaths')).length,
      ...(next.on && { getInitialProps: countOf('initial') }),
      none: countOf('none'),
    },
    prerender: config.prerender,
    special: special.filter((file) => file !== undefined),
    apiHandlers: folder.apiRoutes.length,
    middleware: folder.middleware && middlewareLine(folder.middleware).replace('Middleware: ', ''),
    actions: { count: actions.length, modules: folder.actionModules.length },
    config: folder.configFile === undefined ? undefined : { file: folder.configFile, fields: fieldsOf(config) },
    styles: {
      global: modules.styles.filter((name) => !isModule(name)).length,
      modules: modules.styles.filter(isModule).length,
      tools: names.filter((name) => STYLE_TOOLS.test(name)).sort(),
    },
    publicFiles: (await publicPaths(folder.dir)).length,
    envFiles: names.filter((name) => ENV_FILES.test(name)).sort(),
    assetsScript,
  }
}

const STYLE_TOOLS = /^(\.?postcss|tailwind)(rc|\.config)\b/
const ENV_FILES = /^\.env(\.(production|development))?(\.local)?$/

function fieldsOf(config: SiteConfig): string[] {
  const empty = parseSiteConfig({})
  const names = Object.keys(config) as (keyof SiteConfig)[]
  return names.filter((name) => config[name] !== undefined && textOf(config[name]) !== textOf(empty[name]))
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'function' ? 'function' : JSON.stringify(value)
}
