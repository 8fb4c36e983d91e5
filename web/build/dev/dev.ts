// An app folder under development: its current sources, their manifest, and Vite.
// Guarantees: every change of a file makes a new state, the last good one remains while a source has a fault, and `settled`
// waits until all changes are applied; Vite has no port and no socket.
// Leaves requests, the connection to browsers and rendering to the renderer, and what a module may contain to the parts of
// the build.

import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { isCSSRequest } from 'vite'
import { errorCode } from '../build-error.ts'
import { FRAMEWORK, RUNTIME_FILES } from '../framework-files.ts'
import { writeCompilerOptions } from '../site-types.ts'
import { appRelative, isMarkdown, isScript } from '../source/source.ts'
import { renderMarkdown } from '../transforms/transforms.ts'
import { whenWritten } from './dev-plugins.ts'
import { createDevVite, type DevVite, type DevViteOptions } from './dev-vite.ts'
import {
  createDevImages,
  createSourceReader,
  type DevImageFiles,
  emptyDevManifest,
  type SourceResult,
  toError,
} from './source-reader.ts'

export { DEV_CLIENT, devModuleUrl } from './dev-plugins.ts'
export { createDevImages, createSourceReader } from './source-reader.ts'

/** The oldest changes are removed first. */
const MAX_CHANGES = 2000

// The files that changed since a version: the actions service, which runs modules itself, discards the modules of these
// files.

export function createChangeHistory(startVersion: number) {
  const changes: { version: number; file: string }[] = []
  let firstVersion = startVersion
  let currentVersion = startVersion
  return {
    /** Adds the changed files of a version. */
    record(version: number, files: Iterable<string>): void {
      currentVersion = version
      for (const file of files) changes.push({ version, file })
      changes.splice(0, changes.length - MAX_CHANGES)
    },
    /** Starts again at a version: everything before it is unknown. */
    restart(version: number): void {
      firstVersion = version
    },
    /** The files that changed after a version; undefined for a version that the history does not reach. */
    since(version: number): string[] | undefined {
      const oldest = changes[0]?.version ?? currentVersion
      if (version + 1 < oldest || version < firstVersion || version > currentVersion) return undefined
      return changes.filter((change) => change.version > version).map(({ file }) => file)
    },
  }
}

/** Editors write a file in several steps. */
const COLLECT_MS = 5

// Changed files on their way to a new state: collects them for a moment and applies them in batches, one at a time.

/** Calls `onError` when a batch could not be applied, and then continues with the next batch. */
export function createChangeQueue(
  apply: (files: ReadonlySet<string>) => Promise<void>,
  onError: (error: unknown) => Promise<void>,
) {
  const stamps = new Map<string, string>()
  let pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()
  let isClosed = false

  const applyPending = async () => {
    if (pending.size === 0) return
    const files = pending
    pending = new Set()
    await apply(files)
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    work = work.then(applyPending).catch(onError)
  }
  return {
    /** Adds a file that was added, changed or removed (absolute path). */
    add(file: string): void {
      // The watcher often reports one write twice.
      const stamp = stampOf(file)
      if (isClosed || stamps.get(file) === stamp) return
      stamps.set(file, stamp)
      pending.add(file)
      timer ??= setTimeout(flush, COLLECT_MS)
    },
    /** Resolves when all changes so far are applied. */
    async settle(): Promise<void> {
      if (timer) flush()
      await work
    },
    /** Drops the changes that wait, and resolves when the current batch is applied. */
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      pending.clear()
      await work
    },
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : 'removed'
}

const STYLE = `
:root { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2.5rem auto 6rem; padding: 0 1.25rem; }
h1, h2, h3 { line-height: 1.25; }
h2, h3 { margin-top: 2.2em; scroll-margin-top: 1rem; }
:target { text-decoration: underline; text-underline-offset: .25em; text-decoration-thickness: 2px; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 8px; }
code, kbd { font: .9em/1.5 ui-monospace, Menlo, Consolas, monospace; }
.table { overflow-x: auto; }
td, th { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top; }
`

// A page of the documentation as HTML, for links in the overlay: the text of this version, without a network.

/**
 * The page docs/{name}.md; undefined for a name that is no page. `address` is the address of the folder of pages.
 * SECURITY: a name has letters, digits, "_" and "-" only, so that no name leads out of the folder (V3).
 */
export async function readDocsPage(name: string, address: string): Promise<string | undefined> {
  if (!/^[\w-]+$/.test(name)) return undefined
  const file = join(FRAMEWORK, 'docs', `${name}.md`)
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { attributes, html } = renderMarkdown(text, file)
  const title = String(attributes.title)
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${html.replaceAll('href="/docs/', `href="${address}/`)}</main></body>
</html>
`
}

// The current Vite server. A change of a setting that Vite reads only at start starts another server.

/** Calls `onModuleError` with the error of every module that could not be transformed. */
async function createViteRestarts(options: DevViteOptions, onModuleError: (error: unknown) => void) {
  const start = async () => {
    const vite = await createDevVite(options)
    vite.channel.onSend((payload) => {
      if (payload.type === 'error') onModuleError(payload.err)
    })
    return vite
  }
  const startSettings = () => {
    const { folder, config, next } = options.sources()
    const { basePath, i18n, serverExternalPackages, transpilePackages, browserStubs, plugins } = config
    const switches = [i18n !== undefined, folder.hasErrorHook === true]
    // A config that is read again has other plugins: no comparison shows whether they do the same.
    return {
      plain: JSON.stringify([basePath, switches, serverExternalPackages, transpilePackages, browserStubs, next]),
      plugins,
      mdx: next.mdx,
    }
  }

  let settings = startSettings()
  let vite = await start()
  /**
   * Whether a setting of the kind changed, or one of these files (absolute paths) is a configuration that Vite reads at
   * its start.
   */
  const needsRestart = (files: ReadonlySet<string>): boolean => {
    const next = startSettings()
    const isSame = next.plain === settings.plain && next.plugins === settings.plugins && next.mdx === settings.mdx
    return !isSame || files.values().some(isStartConfig)
  }
  return {
    current: () => vite,
    needsRestart,
    /** Starts another server if these files need one. `onStart` is called before the old server closes. */
    async restartIfNeeded(files: ReadonlySet<string>, onStart: () => void): Promise<boolean> {
      if (!needsRestart(files)) return false
      const next = startSettings()
      const old = vite
      vite = await start()
      settings = next
      onStart()
      old.reloadPages()
      await old.close()
      return true
    },
    close: () => vite.close(),
  }
}

/**
 * Vite and Tailwind read the configurations of CSS when the server starts. After a change of a tsconfig.json Vite discards
 * its module graphs but not the modules that have run: without another server, some modules of a package would run twice
 * (F1).
 */
function isStartConfig(file: string): boolean {
  return /^(postcss\.config\.|\.postcssrc|tailwind\.config\.|\.browserslistrc$|[jt]sconfig\.json$)/.test(basename(file))
}

export interface DevChange {
  /** Routes, settings or actions changed. */
  isOtherManifest: boolean
  /** Patterns of pages whose documents are old: their files were removed, or their policy changed. */
  gone: string[]
  /** At least one of the files is server code: page data may have changed. */
  isServerSide: boolean
}

export interface DevState {
  /** Increases with every change that a page may show: a page of another version is loaded again. */
  version: number
  manifest: Manifest
  /** App-relative path of `_app`. */
  appFile: string | undefined
  /** The reason why the folder cannot be read; then the manifest is the last good one. */
  fault: Error | undefined
}

export interface DevBuild {
  /** The state after all changes so far. */
  settled(): Promise<DevState>
  /** The current Vite server: a change of `basePath` or `serverExternalPackages` starts another one. */
  vite(): DevVite
  images: DevImageFiles
  /** Path of the module that the actions service runs. */
  actionsEntry: string
  /** Calls the listener with the error of every module that could not be transformed, for browsers and servers. */
  onModuleError(listener: (error: unknown) => void): void
  /** Absolute paths of the files that changed after a version; undefined for a version before the history. */
  changedSince(version: number): string[] | undefined
  close(): Promise<void>
}

interface DevBuildOptions {
  appDir: string
  /** Without a change: no page can show one of the files, and the version is the same. */
  onChange: (change: DevChange | undefined, state: DevState) => void | Promise<void>
  /** Receives the lines on what the site has and Portico does not read, with the report of compatibility mode. */
  onNotes?: (lines: readonly string[]) => void
  /** Called when a module of the server has run that had thrown before. */
  onHealed?: () => void
}

/** Reads the folder and starts Vite. A fault of the author is part of the state, never thrown. */
export async function createDevBuild({
  appDir,
  onChange,
  onNotes = () => {},
  onHealed = () => {},
}: DevBuildOptions): Promise<DevBuild> {
  const dir = resolve(appDir)
  const images = createDevImages()
  const reader = createSourceReader(dir, onNotes)
  const moduleErrors: ((error: unknown) => void)[] = []
  // Versions begin at the clock: a client of an earlier development server never has a version of this one.
  let state: DevState = { version: Date.now(), manifest: emptyDevManifest(), appFile: undefined, fault: undefined }
  const history = createChangeHistory(state.version)

  const take = (result: SourceResult, version: number) => {
    const { folder, config } = reader.sources()
    if (result.kind === 'fault') state = { ...state, version, fault: result.fault }
    else state = { version, manifest: result.manifest, appFile: folder.app, fault: undefined }
    images.setBasePath(config.basePath)
  }
  const isShown = (file: string) =>
    vite.current().isModule(file) || (isSource(file) && !appRelative(dir, file).startsWith('public/'))
  /** Whether no page can show one of the files: what a data function writes would load its page again and again. */
  const isUnseen = (files: ReadonlySet<string>, before: DevState) =>
    !before.fault &&
    !state.fault &&
    state.manifest.buildId === before.manifest.buildId &&
    !vite.needsRestart(files) &&
    !files.values().some(isShown)
  const apply = async (files: ReadonlySet<string>) => {
    await Promise.all([...files].map(whenWritten))
    const before = state
    // The imports of a broken config file are unknown: any change may fix it.
    take(await reader.read(before.fault ? undefined : files), before.version)
    const { instrumentation } = reader.sources().folder
    if (instrumentation && files.has(join(dir, instrumentation)))
      onNotes([`${instrumentation}: runs when the stack starts; start it again to run this change`])
    if (isUnseen(files, before)) {
      vite.current().invalidate(files)
      return await onChange(undefined, state)
    }
    const version = before.version + 1
    state = { ...state, version }
    const { manifest } = state
    history.record(version, files)
    const isOtherManifest = manifest.buildId !== before.manifest.buildId
    // Other processes must discard the modules of the old server.
    const isRestarted = await vite.restartIfNeeded(files, () => history.restart(version))
    if (!isRestarted) {
      vite.current().invalidate(files)
      if (isOtherManifest) vite.current().invalidateVirtual()
    }
    const change = describeChange(dir, files, { before: before.manifest, after: manifest, vite: vite.current() })
    await onChange(change, state)
  }
  /** A change that could not be applied is a fault of the state until the next change. */
  const fail = async (error: unknown) => {
    take({ kind: 'fault', fault: toError(error) }, state.version + 1)
    history.record(state.version, [])
    try {
      await onChange({ isOtherManifest: false, gone: [], isServerSide: false }, state)
    } catch {
      // The state has the fault already.
    }
  }
  const queue = createChangeQueue(apply, fail)

  await writeCompilerOptions(dir)
  take(await reader.read(), state.version)
  const vite = await createViteRestarts(
    { sources: reader.sources, images, onFile: queue.add, onNotes, onHealed },
    (error) => {
      for (const listener of moduleErrors) listener(error)
    },
  )
  return {
    async settled() {
      await queue.settle()
      return state
    },
    vite: vite.current,
    images,
    actionsEntry: RUNTIME_FILES.actionsEntry,
    onModuleError: (listener) => void moduleErrors.push(listener),
    changedSince: history.since,
    async close() {
      await queue.close()
      await vite.close()
    },
  }
}

/** A file that an import or a glob may find first when it is added. Other files are the data of functions. */
function isSource(file: string): boolean {
  return isScript(file) || isMarkdown(file) || isCSSRequest(file)
}

interface ChangeContext {
  before: Manifest
  after: Manifest
  vite: DevVite
}

function describeChange(dir: string, files: ReadonlySet<string>, { before, after, vite }: ChangeContext): DevChange {
  const pageFiles = new Set(after.pages.map(({ file }) => file))
  const isPage = ({ pages }: Manifest, path: string) => pages.some(({ file }) => file === appRelative(dir, path))
  const isServerCode = (path: string) => {
    // No open page has data of a page that is new or was removed.
    if (isPage(before, path) !== isPage(after, path)) return false
    const page = after.pages.find(({ file }) => file === appRelative(dir, path))
    // The file of a page contains its data function, which the browser's module does not.
    return page ? page.data !== 'none' : !vite.isBrowserOnly(path)
  }
  return {
    isOtherManifest: after.buildId !== before.buildId,
    gone: before.pages
      .filter(({ file, pattern }) => !pageFiles.has(file) || policyOf(before, pattern) !== policyOf(after, pattern))
      .map(({ pattern }) => pattern),
    isServerSide: [...files].some(isServerCode),
  }
}

/** A comparable text. */
function policyOf({ csp }: Manifest, pattern: string): string {
  return JSON.stringify(Object.hasOwn(csp.routes, pattern) ? csp.routes[pattern] : csp.site)
}
