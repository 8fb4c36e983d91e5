// The renderer's bundle for development: writes stylesheets and version of the sources into documents, refuses props that
// JSON would change (D7), with the path of each, reports slow data functions, and names the data function in errors of
// libraries.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sayCompiling } from '@portico/shared/kit/observe/say-compiling.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { DataFunctionContext, PageModule, ServerBundle } from '@portico/shared/wire/bundles.ts'
import { isPromise, replacePromises } from '@portico/shared/wire/deferred/encode.ts'
import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'

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

/** A value that does not arrive in the browser as it is. */
interface PropFault {
  /** In the spelling of code, such as `props.items[3].createdAt`. */
  path: string
  /** The value and its remedy. */
  what: string
}

/** Deeper values are not checked: JSON still fails for them, but without a path. */
const MOST_DEPTH = 64
/** Faults in one message; a list repeats the same fault in each item. */
const MOST_FAULTS = 10

/** The message for an author, with a line per fault; undefined without a fault. `name` is that of the data function. */
export function propFaultsText(props: unknown, name: string, place?: PropPlace): string | undefined {
  const faults = findPropFaults(props, place)
  if (faults.length === 0) return undefined
  const lines = faults.slice(0, MOST_FAULTS).map(({ path, what }) => `${path}: ${what}`)
  if (faults.length > MOST_FAULTS) lines.push(`and ${faults.length - MOST_FAULTS} more`)
  return `${name} returned values that cannot be sent as JSON:\n${lines.join('\n')}`
}

/** Where the checked value is, and the promises in it, whose values the caller checks when they settle. */
interface PropPlace {
  path: string
  promises: Map<PromiseLike<unknown>, string>
}

/** Every value below `value` that JSON drops, changes or refuses. Adds promises to those of the place. */
export function findPropFaults(
  value: unknown,
  { path, promises }: PropPlace = { path: 'props', promises: new Map() },
): PropFault[] {
  const faults: PropFault[] = []
  visit(value, path, [], { faults, promises })
  return faults
}

interface Found extends Pick<PropPlace, 'promises'> {
  faults: PropFault[]
}

function visit(value: unknown, path: string, above: readonly object[], found: Found): void {
  if (isPromise(value)) return void found.promises.set(value, path)
  const what = faultOf(value, above)
  if (what) found.faults.push({ path, what })
  if (what || typeof value !== 'object' || value === null || above.length > MOST_DEPTH) return
  const inside = [...above, value]
  // Array.from also reads the holes of a list, which JSON writes as null.
  if (Array.isArray(value))
    for (const [index, item] of Array.from(value).entries()) visit(item, `${path}[${index}]`, inside, found)
  else for (const [name, member] of Object.entries(value)) visit(member, memberPath(path, name), inside, found)
}

function memberPath(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`
}

function faultOf(value: unknown, above: readonly object[]): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return 'undefined; leave the member out or use null'
    case 'function':
      return 'a function; leave the member out'
    case 'symbol':
      return 'a symbol; use a string'
    case 'bigint':
      return 'a bigint; use a string or a number'
    case 'number':
      return Number.isFinite(value) ? undefined : `${value}; use null`
    case 'object':
      if (value === null) return undefined
      return above.includes(value) ? 'a value that contains itself; leave the member out' : objectFault(value)
    default:
      return undefined
  }
}

function objectFault(value: object): string | undefined {
  if (value instanceof Date) return 'a Date; use date.toISOString()'
  if (value instanceof Map) return 'a Map; use Object.fromEntries(map)'
  if (value instanceof Set) return 'a Set; use [...set]'
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value) || prototype === null || prototype === Object.prototype) return undefined
  // An object of another realm is as plain as one of this realm.
  if (Object.getPrototypeOf(prototype) === null) return undefined
  return `an instance of ${value.constructor?.name || 'a class'}; use a plain object with its members`
}
