// The renderer's bundle for development: links the stylesheets of a page in its document, checks props before JSON
// changes them (D7), reports slow data functions.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { DataFunctionContext, PageModule, ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { findPropFaults } from './json-props.ts'

export interface DevBundleDeps {
  manifest: Manifest
  /** App-relative path of `_app`. */
  appFile: string | undefined
  stylesOf: (file: string) => string[]
  /** Replaces the warnings of a group. */
  setWarnings: (group: string, warnings: readonly DevWarning[]) => void
  now: () => number
}

/** A data function that takes longer is reported: every client waits for it. */
const SLOW_DATA_MS = 1000

/** Wraps a bundle without changing it. */
export function createDevBundle(bundle: ServerBundle, deps: DevBundleDeps): ServerBundle {
  const { manifest, stylesOf } = deps
  const entries = [...manifest.pages, ...manifest.screens]
  const fileOf = (route: string) => entries.find(({ pattern }) => pattern === route)?.file
  const withStyles = (files: RouteFiles, file: string | undefined): RouteFiles => ({
    ...files,
    styles: file === undefined ? [] : stylesOf(file),
  })
  const pages = Object.entries(bundle.pages).map(([route, load]): [string, () => Promise<PageModule>] => [
    route,
    async () => watchDataFunctions(await load(), fileOf(route) ?? route, deps),
  ])
  return {
    ...bundle,
    pages: Object.fromEntries(pages),
    async render(input) {
      const { hydration, entry, route } = input
      // The module graph knows a page's stylesheets after its modules were loaded.
      await bundle.pages[route]?.()
      return bundle.render({
        ...input,
        hydration: { ...hydration, files: withStyles(hydration.files, fileOf(route)) },
        entry: withStyles(entry, deps.appFile),
      })
    },
  }
}

function watchDataFunctions(module: PageModule, file: string, deps: DevBundleDeps): PageModule {
  const { getServerSideProps, getStaticProps } = module
  return {
    ...module,
    ...(getServerSideProps && { getServerSideProps: watch('getServerSideProps', getServerSideProps, file, deps) }),
    ...(getStaticProps && { getStaticProps: watch('getStaticProps', getStaticProps, file, deps) }),
  }
}

type DataFunction = (context: DataFunctionContext) => unknown

function watch(name: string, run: DataFunction, file: string, { setWarnings, now }: DevBundleDeps): DataFunction {
  return async (context) => {
    const startedAt = now()
    const result = await run(context)
    const ms = Math.round(now() - startedAt)
    const props: unknown = await (result as { props?: unknown } | null | undefined)?.props
    const faults = props === undefined ? [] : findPropFaults(props)
    const fatal = faults.find(({ isFatal }) => isFatal)
    const texts = faults
      .filter(({ isFatal }) => !isFatal)
      .map(({ path, what }) => `${name} returned ${path} as ${what}`)
    if (ms > SLOW_DATA_MS)
      texts.unshift(`${name} took ${(ms / 1000).toFixed(1)} s; every client of the page waits for it`)
    setWarnings(
      `${file} ${name}`,
      texts.map((text) => ({ text, file })),
    )
    if (fatal) throw new Error(`${name} returned ${fatal.path} as ${fatal.what}`)
    return result
  }
}
