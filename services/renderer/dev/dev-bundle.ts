// The renderer's bundle for development: writes stylesheets and version of the sources into documents, refuses props that
// JSON would change (D7), reports slow data functions, and names the data function in errors of libraries.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sayCompiling } from '@portico/shared/kit/observe/say-compiling.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { DataFunctionContext, PageModule, ServerBundle } from '@portico/shared/wire/bundles.ts'
import { replacePromises } from '@portico/shared/wire/deferred/encode.ts'
import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { propFaultsText } from './json-props.ts'

export interface DevBundleDeps {
  /** Absolute path of the app folder. */
  appDir: string
  manifest: Manifest
  /** App-relative path of `_app`. */
  appFile: string | undefined
  /** Version of the sources. */
  version: number
  /** URLs of the stylesheets of a page or of `_app`. */
  stylesOf: (file: string) => Promise<string[]>
  /** Receives the files of each rendered page, app-relative: the browser requests them next. */
  showPage: (files: readonly string[]) => void
  /** Replaces the warnings of a group. */
  setWarnings: (group: string, warnings: readonly DevWarning[]) => void
  /** Receives a line for the terminal. */
  say: (line: string) => void
  now: () => number
}

/** A data function that takes longer is reported: every client waits for it. */
const SLOW_DATA_MS = 1000

/** Wraps a bundle without changing it. Every change of the folder makes another bundle. */
export function createDevBundle(bundle: ServerBundle, deps: DevBundleDeps): ServerBundle {
  const { manifest, stylesOf } = deps
  const watch = createWatch(deps)
  const entries = [...manifest.pages, ...manifest.screens]
  const fileOf = (route: string) => entries.find(({ pattern }) => pattern === route)?.file
  const withStyles = async (files: RouteFiles, file: string | undefined): Promise<RouteFiles> => ({
    ...files,
    styles: file === undefined ? [] : await stylesOf(file),
  })
  const pages = Object.entries(bundle.pages).map(([route, load]): [string, () => Promise<PageModule>] => [
    route,
    async () => {
      const say = (line: string, isOver: boolean) => {
        deps.say(line)
        deps.setWarnings(`compiling ${route}`, isOver ? [] : [{ text: line }])
      }
      return watchDataFunctions(await sayCompiling(route, load, say), fileOf(route) ?? route, watch)
    },
  ])
  return {
    ...bundle,
    pages: Object.fromEntries(pages),
    async render(input) {
      const { hydration, entry, route } = input
      // The module graph knows a page's stylesheets after its modules were loaded.
      await bundle.pages[route]?.()
      const rendered = await bundle.render({
        ...input,
        hydration: {
          ...hydration,
          files: await withStyles(hydration.files, fileOf(route)),
          sourceVersion: deps.version,
        },
        entry: await withStyles(entry, deps.appFile),
      })
      deps.showPage([deps.appFile, fileOf(route)].filter((file) => file !== undefined))
      return rendered
    },
  }
}

type DataFunction = (context: DataFunctionContext) => unknown
type Watch = (name: string, run: DataFunction, file: string) => DataFunction

function watchDataFunctions(module: PageModule, file: string, watch: Watch): PageModule {
  const { getServerSideProps, getStaticProps } = module
  return {
    ...module,
    ...(getServerSideProps && { getServerSideProps: watch('getServerSideProps', getServerSideProps, file) }),
    ...(getStaticProps && { getStaticProps: watch('getStaticProps', getStaticProps, file) }),
  }
}

function createWatch({ appDir, setWarnings, now }: DevBundleDeps): Watch {
  /** The first call may wait until modules are compiled, here or in the actions service: its time is not the function's. */
  const called = new Set<string>()
  return (name, run, file) => async (context) => {
    const group = `${file} ${name}`
    const startedAt = now()
    const result = await named(name, join(appDir, file), () => run(context))
    const ms = Math.round(now() - startedAt)
    const props: unknown = await (result as { props?: unknown } | null | undefined)?.props
    const slow = `${name} took ${(ms / 1000).toFixed(1)} s; every client of the page waits for it`
    if (ms <= SLOW_DATA_MS) setWarnings(group, [])
    else if (called.has(group)) setWarnings(group, [{ text: slow, file }])
    called.add(group)
    if (props === undefined) return result
    const check = createPropsCheck(name, (fault) => errorAt(name, join(appDir, file), fault))
    const checked = await check(props, 'props')
    return checked === props ? result : { ...(result as object), props: checked }
  }
}

/**
 * Throws for a value that JSON would change, with its path. Promises in the value are replaced by promises of their
 * checked values.
 */
function createPropsCheck(name: string, errorOf: (fault: string) => Promise<Error>) {
  const checked = new Map<PromiseLike<unknown>, Promise<unknown>>()
  return async function check(value: unknown, path: string): Promise<unknown> {
    const promises = new Map<PromiseLike<unknown>, string>()
    const fault = propFaultsText(value, name, { path, promises })
    if (fault !== undefined) throw await errorOf(fault)
    for (const [promise, at] of promises) {
      if (checked.has(promise)) continue
      // A promise of undefined arrives as it is.
      const later = Promise.resolve(promise).then((settled) =>
        settled === undefined ? undefined : check(settled, `(await ${at})`),
      )
      // The renderer waits for the promise as soon as it has the props.
      later.catch(() => {})
      checked.set(promise, later)
    }
    return replacePromises(value, (promise) => checked.get(promise))
  }
}

/** An error that a database's client makes later has no frame of the data function that waits for it: it gets one. */
async function named<T>(name: string, path: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Error && !error.stack?.includes(name))
      error.stack = `${error.stack ?? error}${await frameOf(name, path)}`
    throw error
  }
}

/** An error whose only frame is the data function. */
async function errorAt(name: string, path: string, message: string): Promise<Error> {
  return Object.assign(new TypeError(message), { stack: `TypeError: ${message}${await frameOf(name, path)}` })
}

/** The line of a stack for a data function; its place is the line that first names the function. */
async function frameOf(name: string, path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  const line = lines.findIndex((text) => new RegExp(`\\b${name}\\b`).test(text)) + 1
  return `\n    at ${name} (${path}:${Math.max(line, 1)}:1)`
}
