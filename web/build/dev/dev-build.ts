// An app folder under development: its current sources, their manifest, and Vite. Every change of a file makes a new
// state; `settled` waits until all changes are applied.

import { join, resolve } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { isCSSRequest } from 'vite'
import { writeCompilerOptions } from '../folder/compiler-options.ts'
import { appRelative, isMarkdown, isScript } from '../folder/source-paths.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { createChangeHistory } from './change-history.ts'
import { createChangeQueue } from './change-queue.ts'
import { createDevImages, type DevImageFiles } from './dev-images.ts'
import { emptyDevManifest } from './dev-manifest.ts'
import { createSourceReader, type SourceResult, toError } from './source-reader.ts'
import type { DevVite } from './vite/dev-vite.ts'
import { createViteRestarts } from './vite-restarts.ts'
import { whenWritten } from './written-files.ts'

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
