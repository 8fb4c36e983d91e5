// An app folder under development: its current sources, their manifest, and Vite. Every change of a file makes a new
// state; `settled` waits until all changes are applied.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Manifest } from '../../../services/shared/wire/build-output.ts'
import type { RouteFile } from '../../../services/shared/wire/routes.ts'
import { type BundleSources, RUNTIME_FILES } from '../bundles/bundle-config.ts'
import { loadSiteConfig, parseSiteConfig } from '../config/config-file.ts'
import { appRelative, readAppFolder } from '../folder/app-folder.ts'
import { readGeneratedFiles } from '../folder/generated-files.ts'
import { writeCompilerOptions, writeSiteTypes } from '../folder/site-types.ts'
import { publicPaths, refuseShadowedPages } from '../manifest/files.ts'
import { readActions } from '../transforms/use-server.ts'
import { createDevImages, type DevImageFiles } from './dev-images.ts'
import { createDevManifest, emptyDevManifest } from './dev-manifest.ts'
import { createDevVite, type DevVite } from './dev-vite.ts'

export interface DevChange {
  /** App-relative paths. */
  files: string[]
  /** Routes, settings or actions changed. */
  isOtherManifest: boolean
  /** Patterns of pages whose files were removed. */
  gone: string[]
  /** At least one of the files is server code, which no browser has loaded. */
  isServerSide: boolean
}

export interface DevState {
  /** Increases with every change. */
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

export interface DevBuildOptions {
  appDir: string
  onChange: (change: DevChange, state: DevState) => void | Promise<void>
}

/** Collects changes for this time, because editors write a file in several steps. */
const COLLECT_MS = 15
/** Number of changes in the history, which the actions service reads. */
const MAX_HISTORY = 2000

/** Reads the folder and starts Vite. A fault of the author is part of the state, never thrown. */
export async function createDevBuild({ appDir, onChange }: DevBuildOptions): Promise<DevBuild> {
  const dir = resolve(appDir)
  const images = createDevImages()
  const history: { version: number; file: string }[] = []
  const pending = new Set<string>()
  const stamps = new Map<string, string>()
  let sources: BundleSources = emptySources(dir)
  let configFiles: ReadonlySet<string> = new Set()
  // Versions begin at the clock: a client of an earlier development server never has a version of this one.
  let state: DevState = { version: Date.now(), manifest: emptyDevManifest(), appFile: undefined, fault: undefined }
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()
  let isClosed = false

  await writeCompilerOptions(dir)
  const readSources = async (changed: ReadonlySet<string> | undefined): Promise<void> => {
    try {
      const folder = await readAppFolder(dir)
      const isOtherFile = folder.configFile !== sources.folder.configFile
      let { config } = sources
      if (!changed || state.fault || isOtherFile || [...changed].some((file) => configFiles.has(file))) {
        // The imports of a broken config file are unknown: any change may fix it.
        config = await loadSiteConfig(dir, folder.configFile, RUNTIME_FILES.config, (files) => {
          configFiles = new Set(files)
        })
      }
      refuseShadowedPages(folder, await publicPaths(dir))
      const actions = await readActions(folder)
      const next = { folder, config, actions, generated: await readGeneratedFiles(dir) }
      const manifest = await createDevManifest(next)
      await writeSiteTypes(folder, config)
      images.setBasePath(config.basePath)
      sources = next
      state = { ...state, manifest, appFile: folder.app, fault: undefined }
    } catch (error) {
      state = { ...state, fault: faultOf(error) }
    }
  }

  const onFile = (file: string) => {
    // The watcher often reports one write twice.
    const stamp = stampOf(file)
    if (stamps.get(file) === stamp) return
    stamps.set(file, stamp)
    pending.add(file)
    timer ??= setTimeout(enqueue, COLLECT_MS)
  }

  const enqueue = () => {
    clearTimeout(timer)
    timer = undefined
    work = work.then(applyChanges).catch(fail)
  }
  /** A change that could not be applied is a fault of the state until the next change. */
  const fail = async (error: unknown) => {
    state = { ...state, version: state.version + 1, fault: faultOf(error) }
    try {
      await onChange({ files: [], isOtherManifest: false, gone: [], isServerSide: false }, state)
    } catch {
      // The state has the fault already.
    }
  }

  const applyChanges = async () => {
    if (isClosed || pending.size === 0) return
    const files = new Set(pending)
    pending.clear()
    const before = state.manifest
    await readSources(files)
    const version = state.version + 1
    state = { ...state, version }
    for (const file of files) history.push({ version, file })
    history.splice(0, history.length - MAX_HISTORY)
    const { manifest } = state
    const isOtherManifest = manifest.buildId !== before.buildId
    if (startedWith !== startSettings()) await restartVite()
    else {
      vite.invalidate([...files])
      if (isOtherManifest) vite.invalidateVirtual()
    }
    const isServerSide = [...files].some((file) => isServerCode(file, manifest))
    const names = [...files].map((file) => appRelative(dir, file))
    const isThere = ({ file }: RouteFile) => manifest.pages.some((page) => page.file === file)
    const gone = before.pages.filter((page) => !isThere(page)).map(({ pattern }) => pattern)
    await onChange({ files: names, isOtherManifest, gone, isServerSide }, state)
  }

  const isServerCode = (file: string, manifest: Manifest): boolean => {
    const name = appRelative(dir, file)
    const page = manifest.pages.find((each) => each.file === name)
    // The file of a page contains its data function, which the browser's module does not.
    return page ? page.data !== 'none' : !vite.isInBrowser(file)
  }

  const moduleErrors: ((error: unknown) => void)[] = []
  const startVite = async () => {
    const started = await createDevVite({ sources: () => sources, images, onFile })
    started.channel.onSend((payload) => {
      if (payload.type === 'error') for (const listener of moduleErrors) listener(payload.err)
    })
    return started
  }
  /** The settings that Vite reads only at start. */
  const startSettings = () => JSON.stringify([sources.config.basePath, sources.config.serverExternalPackages])
  const restartVite = async () => {
    const old = vite
    const settings = startSettings()
    vite = await startVite()
    startedWith = settings
    // Other processes must discard the modules of the old server.
    restartedAt = state.version
    old.reloadPages()
    await old.close()
  }

  await readSources(undefined)
  let startedWith = startSettings()
  let restartedAt = state.version
  let vite = await startVite()

  return {
    async settled() {
      if (timer) enqueue()
      await work
      return state
    },
    vite: () => vite,
    images,
    actionsEntry: RUNTIME_FILES.actionsEntry,
    onModuleError: (listener) => void moduleErrors.push(listener),
    changedSince(version) {
      const oldest = history[0]?.version ?? state.version
      if (version + 1 < oldest || version < restartedAt || version > state.version) return undefined
      return history.filter((change) => change.version > version).map(({ file }) => file)
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await work
      await vite.close()
    },
  }
}

function faultOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : 'gone'
}

function emptySources(dir: string): BundleSources {
  return {
    folder: { dir, pages: [], screens: [], apiRoutes: [], actionModules: [] },
    config: parseSiteConfig({}),
    actions: [],
    generated: new Map(),
  }
}
