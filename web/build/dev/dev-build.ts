// An app folder under development: its sources as they are now, the manifest made of them, and Vite. Every change of a
// file makes a new state; whoever renders waits until the last change is taken up.

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
import { createDevPictures, type DevPictureFiles } from './dev-images.ts'
import { createDevManifest, emptyDevManifest } from './dev-manifest.ts'
import { createDevVite, type DevVite } from './dev-vite.ts'

export interface DevChange {
  /** App-relative names. */
  files: string[]
  /** Routes, settings or actions are others than before. */
  isOtherManifest: boolean
  /** Patterns of pages whose files are no more. */
  gone: string[]
  /** Some of the files are no part of any page in a browser: only the server's code changed. */
  isServerSide: boolean
}

export interface DevState {
  /** Raised by every change. */
  version: number
  manifest: Manifest
  /** App-relative path of `_app`. */
  appFile: string | undefined
  /** Why the folder as it is now cannot be read; the manifest is the last good one. */
  fault: Error | undefined
}

export interface DevBuild {
  /** The state after every change that was seen so far. */
  settled(): Promise<DevState>
  /** Vite as it is now: another `basePath`, or other `serverExternalPackages`, need another one. */
  vite(): DevVite
  pictures: DevPictureFiles
  /** The module that the actions service runs. */
  actionsEntry: string
  /** Hears of modules that could not be read, whoever asked for them. */
  onModuleError(listener: (error: unknown) => void): void
  /** Absolute paths of what changed after a version; undefined when that is too long ago. */
  changedSince(version: number): string[] | undefined
  close(): Promise<void>
}

export interface DevBuildOptions {
  appDir: string
  onChange: (change: DevChange, state: DevState) => void | Promise<void>
}

/** Editors write a file in several steps. */
const GATHER_MS = 15
/** Changes that are remembered for the actions service. */
const MOST_CHANGES = 2000

/** Reads the folder for the first time. Faults of the author's are part of the state, never thrown. */
export async function createDevBuild({ appDir, onChange }: DevBuildOptions): Promise<DevBuild> {
  const dir = resolve(appDir)
  const pictures = createDevPictures()
  const history: { version: number; file: string }[] = []
  const pending = new Set<string>()
  const stamps = new Map<string, string>()
  let sources: BundleSources = emptySources(dir)
  let configFiles: ReadonlySet<string> = new Set()
  // Counted on from the clock: whoever knew an earlier development server never takes its code for this one's.
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
        // What a broken config file imports is not known: every change may mend it.
        config = await loadSiteConfig(dir, folder.configFile, RUNTIME_FILES.config, (files) => {
          configFiles = new Set(files)
        })
      }
      refuseShadowedPages(folder, await publicPaths(dir))
      const actions = await readActions(folder)
      const next = { folder, config, actions, generated: await readGeneratedFiles(dir) }
      const manifest = await createDevManifest(next)
      await writeSiteTypes(folder, config)
      pictures.setBasePath(config.basePath)
      sources = next
      state = { ...state, manifest, appFile: folder.app, fault: undefined }
    } catch (error) {
      state = { ...state, fault: faultOf(error) }
    }
  }

  const onFile = (file: string) => {
    // Writing a file is often seen twice; the second word says nothing new.
    const stamp = stampOf(file)
    if (stamps.get(file) === stamp) return
    stamps.set(file, stamp)
    pending.add(file)
    timer ??= setTimeout(enqueue, GATHER_MS)
  }

  const enqueue = () => {
    clearTimeout(timer)
    timer = undefined
    work = work.then(takeUp).catch(fail)
  }
  /** What could not be taken up is shown as what is wrong with the folder; the next change is another attempt. */
  const fail = async (error: unknown) => {
    state = { ...state, version: state.version + 1, fault: faultOf(error) }
    try {
      await onChange({ files: [], isOtherManifest: false, gone: [], isServerSide: false }, state)
    } catch {
      // Whoever asks for the state is told of the fault that led here.
    }
  }

  const takeUp = async () => {
    if (isClosed || pending.size === 0) return
    const files = new Set(pending)
    pending.clear()
    const before = state.manifest
    await readSources(files)
    const version = state.version + 1
    state = { ...state, version }
    for (const file of files) history.push({ version, file })
    history.splice(0, history.length - MOST_CHANGES)
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
    // A data function stands in a page's file, but not in what the browser gets of it.
    return page ? page.data !== 'none' : !vite.isInBrowser(file)
  }

  const moduleErrors: ((error: unknown) => void)[] = []
  const startVite = async () => {
    const started = await createDevVite({ sources: () => sources, pictures, onFile })
    started.channel.onSend((payload) => {
      if (payload.type === 'error') for (const listener of moduleErrors) listener(payload.err)
    })
    return started
  }
  /** What Vite cannot take up while it runs. */
  const startSettings = () => JSON.stringify([sources.config.basePath, sources.config.serverExternalPackages])
  const restartVite = async () => {
    const old = vite
    const settings = startSettings()
    vite = await startVite()
    startedWith = settings
    // What other processes made of its modules is as old as it is.
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
    pictures,
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
